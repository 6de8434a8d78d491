"""Rule sets as frozen data.

``JOKER_33``, ``CLASSIC_24``, ``STICK_THE_DEALER`` and ``HEADS_UP`` are those of the sources, the
others in ``RULE_SETS`` are played by many clubs; a club's own are another ``RuleSet`` within the
bounds checked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from types import NoneType
from typing import Any, Final, get_type_hints

from games.engine.cards import BENNY, HIGH, JOKER, LOW, mask_of
from games.engine.errors import RuleSetError

HAND: Final = 5
#: How many nines and tens a farmer's hand has at least, and swaps.
SWAPPED: Final = 3

#: Pack size to the lowest rank (0 is a seven) and whether a joker is added.
PACKS: Final = {
    24: (2, False),
    25: (2, True),
    28: (1, False),
    29: (1, True),
    32: (0, False),
    33: (0, True),
}

_PACKS_IN_ORDER: Final = {
    size: (*(suit * 8 + rank for suit in range(4) for rank in range(low, 8)), *[JOKER] * joker)
    for size, (low, joker) in PACKS.items()
}

#: Pack size to its cards as a set, with the joker and not the Benny; see ``RuleSet.pack_set``.
PACK_SETS: Final = {size: frozenset(pack) for size, pack in _PACKS_IN_ORDER.items()}

#: The same as a bit mask.
PACK_MASKS: Final = {size: mask_of(pack) for size, pack in _PACKS_IN_ORDER.items()}

_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")

DEALER_NAMES: Final = "dealer_names"
DEALER_MAKES: Final = "dealer_makes"

#: The old words that accept the turn-up: "I order it up", "I assist", "I take it up"; or "Pick it
#: up".
ORDER_UP: Final = "order_up"
PICK_UP: Final = "pick_up"

NEVER: Final = "never"
#: Which hands without trumps can be made in the second round.
NO_TRUMP_HIGH: Final = "high"
NO_TRUMP_HIGH_OR_LOW: Final = "high_or_low"
NO_TRUMPS: Final = {
    NEVER: (),
    NO_TRUMP_HIGH: (HIGH,),
    NO_TRUMP_HIGH_OR_LOW: (HIGH, LOW),
}

#: Who leads if the maker plays alone: the first of the players in the hand from there on.
DEALERS_LEFT: Final = "dealers_left"
MAKERS_LEFT: Final = "makers_left"
MAKER: Final = "maker"

#: Which hands may be folded: without ace, face card and joker; or also without the turn-up's suit.
NO_FACE: Final = "no_face"
NO_FACE_OR_SUIT: Final = "no_face_or_suit"

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "joker_turned_up": (DEALER_NAMES, DEALER_MAKES),
    "calls": (ORDER_UP, PICK_UP),
    "no_trump": tuple(NO_TRUMPS),
    "lone_lead": (DEALERS_LEFT, MAKERS_LEFT, MAKER),
    "fold": (NEVER, NO_FACE, NO_FACE_OR_SUIT),
}

#: What only somebody who plays alone can do or suffer.
_OF_LONE_HANDS: Final = (
    *("defend_alone", "partners_best", "dealers_partner_alone", "no_lone_near_end", "lone_lead"),
)

#: Points below the target at which nobody may play alone, where a rule set says so.
NEAR_END: Final = (1, 2)

#: After this many thrown-in hands in a row with the same dealer, the dealer must name a suit:
#: otherwise two players who always pass would never finish a game.
STUCK_AFTER: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Options of the game; raises RuleSetError naming all that are out of bounds or contradictory.

    Attributes:
        players: 4 (partners opposite) or 2 (without partners).
        pack: number of cards, one of ``PACKS``; odd sizes hold a joker.
        cut: the player on the dealer's right cuts before the deal.
        packets: how many cards each player gets in each round of the deal; sums to 5.
        stick_the_dealer: the dealer may not pass in the second round.
        alone: the maker may play without a partner (four players only).
        dealer_stays: after a thrown-in deal the same dealer deals again.
        joker_turned_up: ``dealer_names``: the dealer names its suit and bidding follows;
            ``dealer_makes``: the dealer names its suit and the dealer's side become makers.
        lay_down: a deal ends as soon as its points can no longer change.
        made, march: points for 3 or 4 tricks, and for all 5; ``alone_…``: for a lone hand, 0 for
            3 or 4 if it must take all five.
        euchre, skunk: points to the defenders if the makers take fewer than 3 tricks, or none.
        target, deals: points that win the game, or the number of deals instead; one is None.
        packets_by_dealer: each dealer may deal the packets in the reverse order instead.
        calls: the old words that accept the turn-up, ``order_up`` or ``pick_up``.
        reversed_by: the seats that deal in the reverse order, bit i for seat i. Set when a game
            begins; 0 in rule sets that are offered.
        stuck_after: after this many thrown-in hands in a row the dealer may not pass in the second
            round; 0: never. Set when a game begins.
        thrown_in_counts: a thrown-in hand counts towards the number of deals, for no points, and
            the next dealer deals, so that tables of a duplicate event stay with the same deals.
        old_words: calls are shown to everybody in their old words ("I assist") instead of plain
            ones ("Order it up").
        no_trump: hands without trumps that can be made in the second round: ``never``, ``high``
            (the highest card of the suit led takes the trick), or ``high_or_low``.
        defend_alone: after a lone call a defender may play against the maker alone.
        alone_euchre: points to the defenders if a lone maker is euchred; None: as ``euchre``.
        lone_defence: the same to a lone defender.
        partners_best: a lone maker may give one card away and get one that the partner chooses.
        dealers_partner_alone: the dealer's partner may accept the turn-up only alone ("Canadian").
        own_trump: a suit may be made trump only by who holds a card of it as it is printed; the
            dealer may count the turn-up.
        no_lone_near_end: nobody may play alone whose side is 1 or 2 points below the target.
        lone_lead: who leads if the maker plays alone: ``dealers_left``, ``makers_left``, ``maker``.
        farmers_hand: who holds three nines and tens may swap three of them for the three cards
            under the turn-up, before the bidding, in turn from dealer's left, once in a hand.
        fold: hands that may be folded before the bidding, face up, and the same dealer deals again:
            ``never``, ``no_face`` (no ace, face card or joker), or ``no_face_or_suit`` (nor a card
            of the turn-up's suit).
        benny: the joker is the two of spades.
    """

    key: str
    name: str
    players: int = 4
    pack: int = 24
    cut: bool = False
    packets: tuple[int, ...] = (3, 2)
    stick_the_dealer: bool = False
    alone: bool = True
    dealer_stays: bool = False
    joker_turned_up: str = DEALER_NAMES
    lay_down: bool = False
    made: int = 1
    march: int = 2
    alone_made: int = 1
    alone_march: int = 4
    euchre: int = 2
    skunk: int = 2
    target: int | None = 10
    deals: int | None = None
    packets_by_dealer: bool = False
    calls: str = ORDER_UP
    reversed_by: int = 0
    stuck_after: int = 0
    thrown_in_counts: bool = False
    old_words: bool = False
    no_trump: str = NEVER
    defend_alone: bool = False
    alone_euchre: int | None = None
    lone_defence: int = 4
    partners_best: bool = False
    dealers_partner_alone: bool = False
    own_trump: bool = False
    no_lone_near_end: bool = False
    lone_lead: str = DEALERS_LEFT
    farmers_hand: bool = False
    fold: str = NEVER
    benny: bool = False

    def __post_init__(self) -> None:
        problems = dict(_problems(self))
        if problems:
            raise RuleSetError(problems)

    @property
    def joker(self) -> bool:
        return PACKS[self.pack][1]

    @property
    def always_played(self) -> bool:
        """Whether no hand is thrown in: a stuck dealer passes only without a trump of their own."""
        return self.stick_the_dealer and not self.own_trump

    @property
    def deal_stays(self) -> bool:
        """Whether a hand can be thrown in and is then dealt again by the same dealer."""
        stays = self.dealer_stays or self.deals is not None
        return stays and not self.always_played and not self.thrown_in_counts

    def side_of(self, seat: int) -> int:
        """Return a seat's side: 0 for north and south (or the first of two players), else 1."""
        return seat % 2

    def partner_of(self, seat: int) -> int | None:
        return (seat + 2) % 4 if self.players == 4 else None

    def after(self, seat: int) -> int:
        return (seat + 1) % self.players

    def packets_of(self, dealer: int) -> tuple[int, ...]:
        return self.packets[::-1] if self.reversed_by >> dealer & 1 else self.packets

    def pack_in_order(self) -> tuple[int, ...]:
        """Return the pack by suits C D H S, each from low to high, the joker last."""
        pack = _PACKS_IN_ORDER[self.pack]
        return (*pack[:-1], BENNY) if self.benny else pack

    @property
    def pack_set(self) -> frozenset[int]:
        return frozenset(self.pack_in_order()) if self.benny else PACK_SETS[self.pack]

    @property
    def pack_mask(self) -> int:
        return mask_of(self.pack_in_order()) if self.benny else PACK_MASKS[self.pack]


def _problems(rules: RuleSet) -> Iterator[tuple[str, str]]:
    wrong_type = dict(_type_problems(rules))
    if wrong_type:
        yield from wrong_type.items()
        return
    yield from _name_problems(rules)
    yield from _bound_problems(rules)
    yield from _sense_problems(rules)
    yield from _lone_problems(rules)
    yield from _pack_problems(rules)
    yield from _dealing_problems(rules)


def _type_problems(rules: RuleSet) -> Iterator[tuple[str, str]]:
    """Yield each field of a wrong type; a bool is not accepted as an int."""
    for field, hint in _HINTS.items():
        value = getattr(rules, field)
        if field == "packets":
            if not isinstance(value, tuple) or any(type(size) is not int for size in value):
                yield field, "must be whole numbers such as 3, 2."
        elif not (type(value) is hint or (hint == int | None and type(value) in (int, NoneType))):
            yield field, _TYPE_WORDS.get(hint, "must be a whole number or left empty.")


def _name_problems(rules: RuleSet) -> Iterator[tuple[str, str]]:
    if not _KEY.fullmatch(rules.key):
        yield "key", "must be 1 to 40 letters a to z, digits, hyphens or underscores."
    if not 1 <= len(rules.name) <= 40 or rules.name != rules.name.strip():
        yield "name", "must have 1 to 40 characters, with no space at either end."
    elif not rules.name.isprintable():
        yield "name", "must have no line breaks or invisible characters."


def _bound_problems(rules: RuleSet) -> Iterator[tuple[str, str]]:
    if rules.players not in (2, 4):
        yield "players", "must be 2 or 4."
    if rules.pack not in PACKS:
        yield "pack", f"must be one of {', '.join(map(str, PACKS))} cards."
    if sum(rules.packets) != HAND or any(size < 1 for size in rules.packets):
        yield "packets", f"must be packets of at least 1 that make {HAND} cards, such as 3, 2."
    yield from _point_problems(rules)
    if rules.target is not None and not 1 <= rules.target <= 50:
        yield "target", "a game needs 1 to 50 points; usual are 5, 7 or 10."
    if rules.deals is not None and not 1 <= rules.deals <= 100:
        yield "deals", "a game can have 1 to 100 deals."
    for field, choices in _CHOICES.items():
        if getattr(rules, field) not in choices:
            yield field, f"must be {', '.join(choices[:-1])} or {choices[-1]}."


def _point_problems(rules: RuleSet) -> Iterator[tuple[str, str]]:
    for field in ("made", "march", "alone_march", "euchre", "skunk", "lone_defence"):
        if not 1 <= getattr(rules, field) <= 10:
            yield field, "must be 1 to 10 points."
    if not 0 <= rules.alone_made <= 10:
        yield "alone_made", "must be 1 to 10 points, or 0 if a lone hand must take all five."
    if rules.alone_euchre is not None and not 1 <= rules.alone_euchre <= 10:
        yield "alone_euchre", "must be 1 to 10 points, or left empty: as any other euchre."
    elif rules.alone_euchre is not None and rules.alone_euchre < rules.euchre:
        yield "alone_euchre", "must be worth at least as much as any other euchre."


def _sense_problems(rules: RuleSet) -> Iterator[tuple[str, str]]:
    if (rules.target is None) == (rules.deals is None):
        yield "target", "either a target or a number of deals must be set, not both."
    if rules.players == 2 and rules.alone:
        yield "alone", "two players have no partners, so nobody can play alone."
    if rules.joker_turned_up == DEALER_MAKES and rules.pack in PACKS and not rules.joker:
        yield "joker_turned_up", f"a pack of {rules.pack} has no joker to turn up."
    if rules.march < rules.made:
        yield "march", "must be worth at least as much as 3 tricks."
    if rules.alone_march < rules.alone_made:
        yield "alone_march", "must be worth at least as much as 3 tricks alone."
    if rules.skunk < rules.euchre:
        yield "skunk", "must be worth at least as much as a euchre."


def _lone_problems(rules: RuleSet) -> Iterator[tuple[str, str]]:
    """Yield rules of lone hands that make no sense."""
    if not rules.alone:
        for field in _OF_LONE_HANDS:
            if getattr(rules, field) != ADDED[field]:
                yield field, "only where a maker may play alone."
    elif rules.no_lone_near_end and rules.target is None:
        yield "no_lone_near_end", "only where a game is won by points."
    elif rules.no_lone_near_end and rules.target in NEAR_END:
        yield "no_lone_near_end", f"in a game to {rules.target} nobody could ever play alone."
    euchre = rules.euchre if rules.alone_euchre is None else rules.alone_euchre
    if rules.defend_alone and rules.lone_defence < euchre:
        yield "lone_defence", "must be worth at least as much as a euchre by both defenders."


def _pack_problems(rules: RuleSet) -> Iterator[tuple[str, str]]:
    """Yield rules that do not go with the pack."""
    if rules.pack not in PACKS:
        return
    if rules.no_trump != NEVER and rules.joker:
        yield "no_trump", "cannot be played with a joker in the pack."
    if rules.benny and rules.pack not in (25, 33):
        yield "benny", "only in a pack of 25 or 33 cards, in place of the joker."
    if rules.farmers_hand and rules.pack - rules.players * HAND - 1 != SWAPPED:
        yield (
            "farmers_hand",
            f"only where {SWAPPED} cards are left under the turn-up: four players, 24 cards.",
        )


def _dealing_problems(rules: RuleSet) -> Iterator[tuple[str, str]]:
    if rules.packets_by_dealer and rules.packets == rules.packets[::-1]:
        yield "packets_by_dealer", "these packets are the same in either order."
    if rules.reversed_by and not rules.packets_by_dealer:
        yield "reversed_by", "the order of the packets is not the dealer’s choice here."
    elif rules.players in (2, 4) and not 0 <= rules.reversed_by < 2**rules.players:
        yield "reversed_by", f"must be 0 to {2**rules.players - 1}, a bit for each seat."
    if not 0 <= rules.stuck_after <= STUCK_AFTER:
        yield "stuck_after", f"must be 0 to {STUCK_AFTER} hands."
    elif rules.stuck_after and not rules.deal_stays:
        yield "stuck_after", "only where a thrown-in deal stays with its dealer."
    if rules.thrown_in_counts and rules.deals is None:
        yield "thrown_in_counts", "only where a game has a number of deals."


_HINTS: Final = get_type_hints(RuleSet)
_TYPE_WORDS: Final = {
    bool: "must be yes or no.",
    int: "must be a whole number.",
    str: "must be a text.",
}


#: Fields added after game records were published, with the default that is left out of the data,
#: so that older records stay the same byte for byte.
ADDED: Final[Mapping[str, Any]] = {
    "packets_by_dealer": False,
    "calls": ORDER_UP,
    "reversed_by": 0,
    "stuck_after": 0,
    "thrown_in_counts": False,
    "old_words": False,
    "no_trump": NEVER,
    "defend_alone": False,
    "alone_euchre": None,
    "lone_defence": 4,
    "partners_best": False,
    "dealers_partner_alone": False,
    "own_trump": False,
    "no_lone_near_end": False,
    "lone_lead": DEALERS_LEFT,
    "farmers_hand": False,
    "fold": NEVER,
    "benny": False,
}


def rules_to_data(rules: RuleSet) -> dict[str, Any]:
    """Return a rule set as JSON data: every field by name except unused ``ADDED`` ones."""
    data = {**asdict(rules), "packets": list(rules.packets)}
    return {field: value for field, value in data.items() if (field, value) not in ADDED.items()}


def rules_from_data(data: Any) -> RuleSet:
    """Create a rule set from JSON data, with defaults; raise RuleSetError if it is invalid."""
    if not isinstance(data, Mapping):
        raise RuleSetError({"rules": "must be fields with their values."})
    problems = {
        name[:40] if isinstance(name, str) else type(name).__name__: "is not a field of a rule set."
        for name in data
        if name not in _HINTS
    }
    problems |= {name: "is required." for name in ("key", "name") if name not in data}
    if problems:
        raise RuleSetError(problems)
    values = dict(data)
    if isinstance(values.get("packets"), list):
        values["packets"] = tuple(values["packets"])
    return RuleSet(**values)


JOKER_33: Final = RuleSet(
    key="joker-33",
    name="Joker, 33 cards",
    pack=33,
    cut=True,
    target=7,
    packets_by_dealer=True,
)
CLASSIC_24: Final = RuleSet(key="classic-24", name="Classic, 24 cards", target=5)
STICK_THE_DEALER: Final = RuleSet(
    key="stick-the-dealer",
    name="Stick the dealer",
    packets=(2, 3),
    stick_the_dealer=True,
    packets_by_dealer=True,
    calls=PICK_UP,
)
HEADS_UP: Final = RuleSet(
    key="heads-up",
    name="Heads-up",
    players=2,
    packets=(1, 1, 1, 1, 1),
    alone=False,
    calls=PICK_UP,
)

EIGHT_HANDS: Final = RuleSet(
    key="eight-hands",
    name="Eight hands",
    stick_the_dealer=True,
    target=None,
    deals=8,
    alone_euchre=4,
)
BRITISH: Final = RuleSet(
    key="british",
    name="British, with the Benny",
    pack=25,
    joker_turned_up=DEALER_MAKES,
    target=11,
    benny=True,
)
CANADIAN: Final = RuleSet(key="canadian", name="Canadian", dealers_partner_alone=True)
NO_TRUMP_GAME: Final = RuleSet(
    key="no-trump", name="No trump", no_trump=NO_TRUMP_HIGH, partners_best=True
)

#: The rule sets that are offered by key, in their order: those of the sources, then of clubs.
RULE_SETS: Final = {
    rules.key: rules
    for rules in (
        *(CLASSIC_24, STICK_THE_DEALER, JOKER_33, HEADS_UP),
        *(EIGHT_HANDS, BRITISH, CANADIAN, NO_TRUMP_GAME),
    )
}
