"""Detection of links, mail addresses and phone numbers in free words, however they are written.

Pure text. They are looked for in the words as typed, in their skeleton, in which letters that look
alike are the same one (`games.lookalikes`), and with letters that are spaced out put together.
"""

import re
import unicodedata
from functools import cache
from typing import Final

from games.lookalikes import looks_like

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


@cache  # made when first needed: the table of what looks alike is 10 MB
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


#: What people put between letters to hide a word, and a full stop written in brackets or as a word.
_BETWEEN: Final = re.compile(r"[\s*_~|,'’`^+=-]+")
_BRACKETED_DOT: Final = re.compile(r"[\(\[\{<]\s*(?:d\s*o\s*t|\.)\s*[\)\]\}>]")
#: Spaced-out letters come one or two at a time, so many times or more.
FEWEST_SPACED: Final = 3
#: Letters with a full stop after each, which end as an address does.
_DOTTED: Final = re.compile(r"(?:\w\.){4,}\w(?!\w)")
_DIGITS: Final = re.compile(r"\+?\d(?:[\s().\-/_]{0,3}\d){6,}")
#: The fewest digits of a phone number.
PHONE: Final = 7
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_SPACED_DIGITS: Final = re.compile(r"(?<!\d)\d(?:\s\d){9,}(?!\d)")


def holds_address(words: str) -> bool:
    """Return True for links, mail addresses and phone numbers, also in look-alike characters."""
    typed = unicodedata.normalize("NFKC", words).casefold().translate(_PLAIN)
    joined = _joined(typed)
    texts = {typed, joined}
    folded = {looks_like(text).translate(_PLAIN) for text in texts}
    return (
        any(one.search(text) for text in texts for one in _patterns(folded=False))
        or any(one.search(text) for text in folded for one in _patterns(folded=True))
        or any(
            found[0].replace(".", "").endswith(tuple(SPACED.split()))
            for found in _DOTTED.finditer(typed)
        )
        or _is_phone(typed)
    )


def _joined(text: str) -> str:
    """Return the text with spaced-out letters put together: "evil.com" for "e v i l . c o m".

    Without such letters it is the same text.
    """
    run: list[str] = []
    parts: list[str] = []
    spaced_out = False
    for word in [*_BETWEEN.split(_BRACKETED_DOT.sub(" . ", text)), ""]:
        if 0 < len(word) <= 2 or (word == "dot" and run):
            run.append("." if word == "dot" else word)
            continue
        together = len(run) >= FEWEST_SPACED
        parts += ["".join(run)] if together else run
        parts.append(word)
        spaced_out |= together
        run = []
    return " ".join(parts).replace(" .", ".").strip() if spaced_out else text


def _is_phone(text: str) -> bool:
    digits = "".join(_digit(one) for one in text)
    if _SPACED_DIGITS.search(digits):
        return True
    for found in _DIGITS.finditer(digits):
        groups = re.findall(r"\d+", found[0])
        if sum(map(len, groups)) < PHONE:
            continue
        # Scores, such as 10-8 7-10 10-9, have no group of three figures and do not begin with 0;
        # dates and periods, such as 27.11.2026 and 1990-2020, have no other than years.
        if found[0].startswith(("+", "0")) or any(
            len(one) > 2 and not _YEAR.fullmatch(one) for one in groups
        ):
            return True
    return False


def _digit(character: str) -> str:
    value = unicodedata.digit(character, None)
    return character if value is None else str(value)
