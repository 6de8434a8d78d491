"""Games that have ended: how, their files and replays, and what somebody’s games add up to."""

from typing import Final

#: How a game ended for a side.
WON, TIED, LOST = 1, 0, -1
RESULT_WORDS: Final = {WON: "won", TIED: "tied", LOST: "lost"}
