"""Detection of look-alike names and invisible characters.

Based on the Unicode Consortium's table of confusables (UTS #39, section 4) in the package
confusable_homoglyphs. A name's skeleton replaces each character with the representative of all that
look like it and ignores case, accents, spaces and punctuation: two names with the same skeleton
could be mistaken for each other.
"""

import unicodedata
from functools import lru_cache
from typing import Final

#: The longest skeleton; it can be longer than a name, as some characters look like several.
SKELETON_LENGTH: Final = 120
#: Characters that look alike to players but not by the table, after case folding.
ALIKE: Final = str.maketrans({"i": "l", "1": "l", "|": "l", "0": "o"})
#: Combining marks on one letter; no script needs more than three.
MAX_MARKS: Final = 3
#: Scripts that may be mixed in one word.
TOGETHER: Final = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)
#: Invisible letters, marks and symbols (Unicode Character Database, Default_Ignorable_Code_Point;
#: and the blank braille pattern, the null notehead and the object replacement character).
UNSEEN: Final = frozenset(
    [
        0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0xFFFC, 0x16FE4, 0x1D159,
        *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0),
    ]
)  # fmt: skip


def skeleton_of(name: str) -> str:
    """Return a name's skeleton; never empty."""
    bare = looks_like(name)
    kept = "".join(one for one in bare if unicodedata.category(one)[0] not in "PZ")
    return (kept or bare or name)[:SKELETON_LENGTH]


def looks_like(text: str) -> str:
    """Return a text in which all characters that look alike are the same, with its punctuation."""
    folded = unicodedata.normalize("NFKC", text)
    for _ in range(2):  # a capital may have other look-alikes than its small letter
        folded = _plain("".join(map(_stands_for, folded)).casefold())
    return folded.translate(ALIKE).replace("rn", "m").replace("vv", "w")


def unseen(name: str) -> bool:
    """Return True if a name has invisible characters, or no letter, digit or symbol."""
    return invisible_in(name) or not any(
        unicodedata.category(character)[0] in "LNS" for character in name
    )


def invisible_in(text: str) -> bool:
    """Return True if a text has invisible characters, or more marks on a letter than any script."""
    marks = 0
    for character, before in zip(text, " " + text, strict=False):
        kind = unicodedata.category(character)
        if kind[0] == "C" or ord(character) in UNSEEN:
            return True
        marks = marks + 1 if kind[0] == "M" else 0
        if marks > MAX_MARKS or (marks and before.isspace()):
            return True
    return False


def mixed_word(name: str) -> str:
    """Return the first word that mixes scripts, or an empty text.

    This is the level "highly restrictive" of UTS #39, section 5.2, applied to each word: one script
    a word, except for the mixtures of Chinese, Japanese, Korean and Latin in `TOGETHER`.
    """
    from confusable_homoglyphs import categories  # a tenth of a second, 3 MB

    for word in name.split():
        scripts = {categories.alias(one) for one in word if unicodedata.category(one)[0] == "L"}
        scripts -= {"COMMON", "INHERITED"}
        if len(scripts) > 1 and not any(scripts <= together for together in TOGETHER):
            return word
    return ""


def mixed_in_words(word: str) -> str:
    return f"“{word}” mixes letters of different alphabets: write each word in one."


def _plain(text: str) -> str:
    parts = unicodedata.normalize("NFD", text)
    bare = "".join(one for one in parts if unicodedata.category(one) != "Mn")
    return unicodedata.normalize("NFC", bare or parts)


@lru_cache(maxsize=4096)
def _stands_for(character: str) -> str:
    """Return the representative of all characters that look like this one.

    The table maps each replaced character to its representative, and each representative to all
    that it represents. Of two characters that map only to each other, use the smaller.
    """
    from confusable_homoglyphs.confusables import confusables_data  # half a second, 10 MB

    alike: list[str] = [one["c"] for one in confusables_data.get(character, ())]
    if len(alike) != 1:
        return character
    (other,) = alike
    mutual = [one["c"] for one in confusables_data.get(other, ())] == [character]
    return min(character, other) if mutual else other
