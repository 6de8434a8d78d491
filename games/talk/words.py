"""Checks of free words: length, invisible characters, and addresses, however they are written.

Pure text. Addresses are looked for in the words as typed, and in their skeleton, in which letters
that look alike are the same one (`games.lookalikes`).
"""

import re
import unicodedata
from typing import Final

from games.lookalikes import invisible_in, looks_like
from games.models.talk import WORDS_LENGTH

TOO_LONG: Final = f"At most {WORDS_LENGTH} characters at once."
EMPTY: Final = "Write something first."
UNSEEN: Final = "That has characters that cannot be seen. Write it without them."
ADDRESS: Final = (
    "Links, addresses and phone numbers are not sent here. Nobody has seen it; write it without."
)
#: Endings of the addresses that people send each other, without those that are words, as in
#: "hearts.to me": these are found by what follows them.
ENDINGS: Final = (
    "agency ai app ar asia au biz blog bot br ca cc cf ch cl cloud club cn co com cx cz de"
    " dev ee edu email es eu fi fm fr ga gg gov gq gr hk hr hu ie il info io ir jp kr kz"
    " link lol lt lv ly ml mobi mx net network nl news nu nz online org page ph pl pro pt pw ro"
    " rs ru se sg sh shop site sk social space store studio tech tk top tr tv tw ua uk vip vn"
    " website wiki ws xxx xyz za zone"
)
#: Endings with which a sentence can begin, as in "thanks.live long": only where no word follows.
BEGINNINGS: Final = "chat click games host live"
#: Endings that are found after spaces, too.
SPACED: Final = "com net org gg io ru xyz shop"
#: Mail services that are named without an ending.
MAIL: Final = "aol gmail gmx googlemail hotmail icloud outlook proton protonmail yahoo yandex"
#: Other full stops and middle dots, some of which browsers make dots in addresses; and the frame
#: of keycap figures.
_DOTS: Final = "\u3002\uff61\uff0e\u2024\u02f3\u06d4\u00b7\u2022\u2027\u2219\u22c5\u30fb"
_PLAIN: Final = str.maketrans(dict.fromkeys(_DOTS, ".") | {"\u20e3": ""})
_SAID_DOT: Final = r"(?:\s*[\(\[\{<]\s*(?:d\s*o\s*t|\.)\s*[\)\]\}>]\s*|\sdot\s)"
_DOT: Final = rf"(?:\s*\.\s*|{_SAID_DOT})"
_AT: Final = r"\s*(?:@|[\(\[\{<]\s*(?:at|@)\s*[\)\]\}>])\s*"


def _patterns(*, folded: bool) -> tuple[re.Pattern[str], ...]:
    """Return what an address looks like, in words as typed or in those of `looks_like`."""

    def any_of(words: str) -> str:
        return "|".join(looks_like(one) if folded else one for one in words.split())

    # In folded words a figure, as in "1.top", can be a letter.
    host = r"[\w-]{2,}" if folded else r"(?:[\w-]{2,}|[^\W\d_])"
    return tuple(
        re.compile(one)
        for one in (
            r"\b[a-z]{2,10}\s?:\s?/\s?/",
            r"\bwww\s?\.",
            rf"{host}\.(?:{any_of(ENDINGS)})(?![\w-])",
            rf"{host}\.(?:{any_of(BEGINNINGS)})(?![\w-]|\s\w)",
            r"\w\.[a-z]{2,}/\w",
            rf"[\w-]{{2,}}{_DOT}(?:{any_of(SPACED)})(?![\w-])",
            rf"[\w-]{{2,}}{_SAID_DOT}(?:{any_of(ENDINGS)})(?![\w-])",
            rf"[\w.+-]+{_AT}[\w-]+{_DOT}\w{{2,}}",
            rf"[\w.+-]+{_AT}(?:{any_of(MAIL)})(?![\w-])",
            r"(?:^|\s)@\w{3,}",
            r"\b(?:\d{1,3}\.){3}\d{1,3}\b",
        )
    )


_TYPED: Final = _patterns(folded=False)
_FOLDED: Final = _patterns(folded=True)
_DIGITS: Final = re.compile(r"\+?\d(?:[\s().\-/_]{0,3}\d){6,}")
#: The fewest digits of a phone number.
PHONE: Final = 7
_SPACED_DIGITS: Final = re.compile(r"(?<!\d)\d(?:\s\d){9,}(?!\d)")


class WordsError(Exception):
    """Words that are not sent; the message says why."""


def checked(text: str) -> str:
    """Return words as they are sent, or raise WordsError."""
    words = " ".join(unicodedata.normalize("NFC", text).replace("\ufe0f", "").split())
    if not words:
        raise WordsError(EMPTY)
    if len(words) > WORDS_LENGTH:
        raise WordsError(TOO_LONG)
    if invisible_in(words):
        raise WordsError(UNSEEN)
    if holds_address(words):
        raise WordsError(ADDRESS)
    return words


def holds_address(words: str) -> bool:
    """Return True for links, mail addresses and phone numbers, also in look-alike characters."""
    typed = unicodedata.normalize("NFKC", words).casefold().translate(_PLAIN)
    folded = looks_like(typed).translate(_PLAIN)
    return (
        any(one.search(typed) for one in _TYPED)
        or any(one.search(folded) for one in _FOLDED)
        or _is_phone(typed)
    )


def _is_phone(text: str) -> bool:
    digits = "".join(_digit(one) for one in text)
    if _SPACED_DIGITS.search(digits):
        return True
    for found in _DIGITS.finditer(digits):
        groups = re.findall(r"\d+", found[0])
        if sum(map(len, groups)) < PHONE:
            continue
        # Scores, such as 10-8 7-10 10-9, have no group of three figures and do not begin with 0.
        if found[0].startswith(("+", "0")) or any(len(one) > 2 for one in groups):
            return True
    return False


def _digit(character: str) -> str:
    value = unicodedata.digit(character, None)
    return character if value is None else str(value)
