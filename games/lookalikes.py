"""Which names look alike, and which characters cannot be seen.

What looks alike is told by the Unicode Consortium's table of confusables (UTS #39, section 4), as
the package confusable_homoglyphs has it. A name's skeleton is what is left of it when each
character is replaced by the one that stands for all that look like it, without regard to case,
accents, spaces and punctuation: two names with the same skeleton could be taken for each other.
"""

import unicodedata
from functools import lru_cache
from typing import Final

#: How long a skeleton can be: a few characters look like several others in a row.
SKELETON_LENGTH: Final = 120
#: In which the table is stricter than eyes at a table, once case is gone.
ALIKE: Final = str.maketrans({"i": "l", "1": "l", "|": "l", "0": "o"})
#: Marks on one letter: scripts that write with them need three at most.
MOST_MARKS: Final = 3
#: Scripts that are written together in one word.
TOGETHER: Final = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)
#: Seen as nothing, though they count as letters, marks or symbols (Unicode Character Database,
#: Default_Ignorable_Code_Point; and the braille pattern without a dot, the null
#: notehead, the place of an object).
UNSEEN: Final = frozenset(
    [
        0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0xFFFC, 0x16FE4, 0x1D159,
        *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0),
    ]
)  # fmt: skip


def skeleton_of(name: str) -> str:
    """Return what a name has in common with all that look like it; never empty."""
    folded = unicodedata.normalize("NFKC", name)
    for _ in range(2):  # capitals may look like others than their small letters do
        folded = _plain("".join(map(_stands_for, folded)).casefold())
    bare = folded.translate(ALIKE).replace("rn", "m").replace("vv", "w")
    kept = "".join(one for one in bare if unicodedata.category(one)[0] not in "PZ")
    return (kept or bare or name)[:SKELETON_LENGTH]


def unseen(name: str) -> bool:
    """Whether a name holds something that cannot be seen, or nothing to know it by."""
    marks = 0
    for character, before in zip(name, " " + name, strict=False):
        kind = unicodedata.category(character)
        if kind[0] == "C" or ord(character) in UNSEEN:
            return True
        marks = marks + 1 if kind[0] == "M" else 0
        if marks > MOST_MARKS or (marks and before.isspace()):
            return True
    return not any(unicodedata.category(character)[0] in "LNS" for character in name)


def mixed_word(name: str) -> str:
    """Return the first word whose letters are of scripts that nobody writes together, or "".

    This is the level "highly restrictive" of UTS #39, section 5.2, word by word: a word is of one
    script, but Chinese, Japanese and Korean ones may hold each other's and Latin letters.
    """
    from confusable_homoglyphs import categories  # a tenth of a second, 3 MB

    for word in name.split():
        scripts = {categories.alias(one) for one in word if unicodedata.category(one)[0] == "L"}
        scripts -= {"COMMON", "INHERITED"}
        if len(scripts) > 1 and not any(scripts <= together for together in TOGETHER):
            return word
    return ""


def mixed_in_words(word: str) -> str:
    """Return the sentence that refuses a word of several alphabets."""
    return f"“{word}” mixes letters of different alphabets: write each word in one."


def _plain(text: str) -> str:
    """A text without accents."""
    parts = unicodedata.normalize("NFD", text)
    bare = "".join(one for one in parts if unicodedata.category(one) != "Mn")
    return unicodedata.normalize("NFC", bare or parts)


@lru_cache(maxsize=4096)
def _stands_for(character: str) -> str:
    """The character, or characters, for all that look like this one.

    The table names for each that is replaced its replacement, and for each replacement all that it
    stands for: of two that name only each other either will do.
    """
    from confusable_homoglyphs.confusables import confusables_data  # half a second, 10 MB

    alike: list[str] = [one["c"] for one in confusables_data.get(character, ())]
    if len(alike) != 1:
        return character
    (other,) = alike
    mutual = [one["c"] for one in confusables_data.get(other, ())] == [character]
    return min(character, other) if mutual else other
