"""How a game ended for a side."""

from typing import Final

WON, TIED, LOST = 1, 0, -1
RESULT_WORDS: Final = {WON: "won", TIED: "tied", LOST: "lost"}
