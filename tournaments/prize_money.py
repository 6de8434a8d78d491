"""Entry money, pots and prizes of an event: their amounts, and how they are shared.

Amounts are whole numbers of a currency's smallest unit, such as cents. Whatever comes in is paid
out or goes to the club: nothing is lost by rounding.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

_CODES: Final = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP
GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD
KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN
NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV
WST XAF XCD XOF XPF YER ZAR ZMW ZWG
"""
_NO_DECIMALS: Final = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_THREE_DECIMALS: Final = "BHD IQD JOD KWD LYD OMR TND"
#: The codes of currencies in use, and how many digits follow the point (ISO 4217).
CURRENCIES: Final[Mapping[str, int]] = {
    **dict.fromkeys(_CODES.split(), 2),
    **dict.fromkeys(_NO_DECIMALS.split(), 0),
    **dict.fromkeys(_THREE_DECIMALS.split(), 3),
}
MOST_MONEY: Final = 10_000_000  # smallest units, for one thing
MOST_PRIZES: Final = 20
WHOLE: Final = 100  # percent
WHO_PAYS: Final = (
    "Everybody who starts pays. Whoever withdraws before the start pays nothing; whoever withdraws"
    " later, is withdrawn, or never comes to a table, pays and wins nothing."
)


class MoneyError(ValueError):
    """A text that is no amount or no prizes; the message says what is allowed."""


class PlacePrize(NamedTuple):
    """The prize of a place: an amount, or a percentage of what the amounts leave."""

    amount: int = 0
    percent: int = 0


@dataclass(frozen=True, slots=True)
class Terms:
    """What an entry pays, and where it goes: to the club, to each pot, and the rest to the prizes.

    `prizes` are by place, the first place first.
    """

    entry: int = 0
    club: int = 0
    lone: int = 0
    euchre: int = 0
    prizes: tuple[PlacePrize, ...] = ()

    @property
    def to_prizes(self) -> int:
        return self.entry - self.club - self.lone - self.euchre


@dataclass(frozen=True, slots=True)
class Shares:
    """Where the money of an event goes; the parts add up to `paid_in`.

    `by_place`: the prize of each place, before those who share places share them. `prizes`, `lone`
    and `euchre`: the amounts by entry. `club`: its part of each entry. `left`: what cannot be
    divided, and prizes that nobody wins; the club gets it too.
    """

    paid_in: int
    by_place: tuple[int, ...]
    club: int
    left: int
    prizes: Mapping[int, int] = field(default_factory=dict)
    lone: Mapping[int, int] = field(default_factory=dict)
    euchre: Mapping[int, int] = field(default_factory=dict)

    @property
    def to_club(self) -> int:
        return self.club + self.left

    def of_entry(self, entry: int) -> int:
        return sum(part.get(entry, 0) for part in (self.prizes, self.lone, self.euchre))


def share(
    terms: Terms,
    entries: int,
    places: Mapping[int, int],
    lone: Mapping[int, int],
    euchres: Mapping[int, int],
) -> Shares:
    """Share the money of so many entries.

    places: the place of each entry that can win, shared ones repeated (1, 1, 3). lone, euchres: how
    many each entry has of what a pot is for.
    """
    paid_in = entries * terms.entry
    lone_won = _pot(entries * terms.lone, lone)
    euchre_won = _pot(entries * terms.euchre, euchres)
    fund = entries * terms.to_prizes
    fund += 0 if lone_won else entries * terms.lone
    fund += 0 if euchre_won else entries * terms.euchre
    by_place = prizes_of(terms.prizes, fund)
    prizes = dict(_by_entry(by_place, places))
    club = entries * terms.club
    won = sum(sum(part.values()) for part in (prizes, lone_won, euchre_won))
    return Shares(paid_in, by_place, club, paid_in - club - won, prizes, lone_won, euchre_won)


def prizes_of(prizes: Sequence[PlacePrize], fund: int) -> tuple[int, ...]:
    """Return the prize of each place.

    Amounts come first, the first place before the others, as far as the fund reaches; percentages
    are of what they leave, rounded down.
    """
    amounts, rest = [], fund
    for prize in prizes:
        amounts.append(min(prize.amount, rest))
        rest -= amounts[-1]
    return tuple(
        amount + rest * prize.percent // WHOLE
        for prize, amount in zip(prizes, amounts, strict=True)
    )


def _pot(total: int, figures: Mapping[int, int]) -> dict[int, int]:
    """Share a pot equally among those with the most; nobody gets it if nobody has any."""
    most = max(figures.values(), default=0)
    best = [entry for entry, figure in figures.items() if figure == most > 0]
    return {entry: total // len(best) for entry in best} if total else {}


def _by_entry(by_place: Sequence[int], places: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield what each entry wins: those who share places share their prizes equally."""
    sharing: dict[int, list[int]] = defaultdict(list)
    for entry, place in places.items():
        sharing[place].append(entry)
    ahead = 0
    for place, same in sorted(sharing.items()):
        # Where nobody has won the place before theirs, its prize is not theirs to share.
        ahead = max(ahead + len(same), place)
        pooled = sum(by_place[place - 1 : ahead])
        for entry in same:
            if each := pooled // len(same):
                yield entry, each


# Amounts and prizes in words ------------------------------------------------------------------


def amount_in_words(amount: int, currency: str) -> str:
    """Return an amount without its currency: "5.00", "1,200"."""
    decimals = CURRENCIES.get(currency, 2)
    whole, rest = divmod(amount, int(10**decimals))
    return f"{whole:,}.{rest:0{decimals}}" if decimals else f"{whole:,}"


def read_amount(text: str, currency: str) -> int:
    """Return an amount written like "5", "5.00" or "5,00"; raise MoneyError."""
    decimals = CURRENCIES.get(currency, 2)
    parts = re.fullmatch(r"([0-9]{1,9})(?:[.,]([0-9]+))?", text.strip())
    example = amount_in_words(int(f"5{'0' * decimals}"), currency)
    if parts is None or len(parts[2] or "") > decimals:
        raise MoneyError(f"“{text.strip()[:30]}” is not an amount. Write it like {example}.")
    amount = int(parts[1] + (parts[2] or "").ljust(decimals, "0"))
    if amount > MOST_MONEY:
        raise MoneyError(f"At most {amount_in_words(MOST_MONEY, currency)}.")
    return amount


def prizes_in_words(prizes: Sequence[PlacePrize], currency: str) -> str:
    """Return prizes as they are written: "40.00; 60%; 40%"."""
    return "; ".join(
        f"{prize.percent}%" if prize.percent else amount_in_words(prize.amount, currency)
        for prize in prizes
    )


def read_prizes(text: str, currency: str) -> tuple[PlacePrize, ...]:
    """Return prizes by place, written like "50%; 30%; 20%" or "40.00; 20.00"; raise MoneyError."""
    words = re.split(r"\s*;\s*|\s*,\s+|(?<=%),|\s+", text.strip())
    return tuple(_read_prize(word, currency) for word in words if word)


def _read_prize(word: str, currency: str) -> PlacePrize:
    if not word.endswith("%"):
        return PlacePrize(amount=read_amount(word, currency))
    if not re.fullmatch(r"[0-9]{1,3}%", word) or not 1 <= int(word[:-1]) <= WHOLE:
        raise MoneyError(f"“{word[:30]}” is not a percentage from 1% to 100%.")
    return PlacePrize(percent=int(word[:-1]))


def stored_prizes(prizes: Sequence[PlacePrize]) -> list[dict[str, int]]:
    """Return prizes as an event stores them."""
    return [prize._asdict() for prize in prizes]


def prizes_from(data: Sequence[Mapping[str, Any]]) -> tuple[PlacePrize, ...]:
    """Return stored prizes."""
    return tuple(PlacePrize(**one) for one in data)


def terms_in_words(terms: Terms, currency: str) -> str:
    """Return where the money of an entry goes: "4.00 to the prizes, 1.00 to the club"."""
    parts = (
        (terms.to_prizes, "to the prizes"),
        (terms.lone, "to the pot for lone hands"),
        (terms.euchre, "to the pot for euchres"),
        (terms.club, "to the club"),
    )
    return ", ".join(
        f"{amount_in_words(amount, currency)} {what}" for amount, what in parts if amount
    )


def rules_in_words(terms: Terms, currency: str) -> list[str]:
    """Return how the money is shared, in sentences."""
    smallest = amount_in_words(1, currency)
    said = [WHO_PAYS, "House players neither pay nor win money."]
    if terms.lone:
        said.append(
            "The pot for lone hands goes to whoever has the most lone hands with all five tricks, "
            "their own or their partner’s."
        )
    if terms.euchre:
        said.append("The pot for euchres goes to whoever has euchred the other side most often.")
    if terms.lone or terms.euchre:
        said.append(
            "Those who have equally many share a pot; if nobody has any, it is added to the prizes."
        )
    if any(prize.amount for prize in terms.prizes):
        said.append("Amounts are paid first, from the first place on, as far as the money goes.")
    if any(prize.percent for prize in terms.prizes):
        rest = " that is left then" if any(prize.amount for prize in terms.prizes) else ""
        said.append(f"Percentages are of the money for prizes{rest}.")
    said.append(
        "Those who share places share their prizes equally. Everything is rounded down to"
        f" {smallest} {currency}; what is left over, and prizes that nobody wins, go to the club."
    )
    return said


def problems(terms: Terms, currency: str, *, counts_lone: bool) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the terms of an event, as field and sentence."""
    paid = amount_in_words(terms.entry, currency)
    if terms.to_prizes < 0:
        yield "club_share", f"The club and the pots cannot get more than an entry pays, {paid}."
    if terms.lone and not counts_lone:
        yield "lone_pot", "Nobody plays alone by these rules."
    percent = sum(prize.percent for prize in terms.prizes)
    if len(terms.prizes) > MOST_PRIZES:
        yield "prizes", f"At most {MOST_PRIZES} places; these are {len(terms.prizes)}."
    elif percent not in (0, WHOLE):
        yield "prizes", f"The percentages must add up to 100%; these make {percent}%."
    elif any(prize == PlacePrize() for prize in terms.prizes):
        yield "prizes", "A prize of nothing: leave it out."
    elif terms.to_prizes > 0 and not terms.prizes:
        yield "prizes", "Say what each place wins, such as 50%; 30%; 20%."
