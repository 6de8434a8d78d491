"""Ended games: their outcomes, files, replays and statistics."""

from typing import Final

#: Results of a side.
WON, TIED, LOST = 1, 0, -1
RESULT_WORDS: Final = {WON: "won", TIED: "tied", LOST: "lost"}
