"""Browsers that contribute to shuffles, tables in every state, and a search for their secrets.

A secret is looked for as bytes, hexadecimal, base64, list of numbers and as the text of its
bytes, also encrypted as it is stored, and either half of it counts. A pack is looked for as eight
cards in a row, however they are written and whatever separates them.
"""

import base64
import re
import secrets
from collections.abc import Collection, Sequence
from random import Random
from typing import Final

from django.utils import timezone

from games.engine import observation
from games.engine import shuffle as euf1
from games.engine.cards import card_text
from games.engine.game import Game as Play
from games.engine.rules import RULE_SETS, RuleSet
from games.models import Contribution, Game, GameEvent, Player, Shuffle, Table
from games.seats import reserved, seating
from games.seats.reserved import ReservedTable
from games.shuffle import shuffling
from games.shuffle.dealing import packs_of
from games.shuffle.secret_box import unseal
from tests.factories import push


def shuffle_of(at: Table) -> Shuffle:
    """The shuffle of a table's next game."""
    return at.shuffles.get()


class Browser:
    """What a player's browser throws in."""

    def __init__(self, who: Player, at: Table, position: int) -> None:
        self.who, self.at, self.position = who, at, position
        self.number = secrets.token_bytes(32)

    def promise(self, shuffle: Shuffle) -> bytes:
        """Its commitment to its number."""
        commitment = bytes(shuffle.commitment)
        place = shuffle.table.first_place + self.position
        return euf1.commit_seat(shuffle.match.bytes, commitment, place, self.number)

    def commit(self) -> None:
        """Commit itself."""
        shuffle = shuffle_of(self.at)
        shuffling.commit(self.at.pk, self.who.pk, shuffle.match, self.promise(shuffle))

    def reveal(self) -> None:
        """Tell its number."""
        shuffling.reveal(self.at.pk, self.who.pk, shuffle_of(self.at).match, self.number)


#: So many cards in a row, as they lie in a pack, tell where they lie.
ROW: Final = 8
#: How many deals to come are looked for, the present one included.
DEALS: Final = 3
CARD: Final = re.compile(rb"[789TJQKA][CDHScdhs]|Jo")
CARD_ALONE: Final = re.compile(rb"\b(?:[789TJQKA][CDHScdhs]|Jo)\b")
NUMBER: Final = re.compile(rb"\d+")
#: What hexadecimal and base64 of half a secret are parts of.
WORD: Final = re.compile(rb"[A-Za-z0-9+/_-]{20,}")

#: Who may see a table: everybody, whoever has its link, or those of an event.
OPEN: Final = "open"
CLOSED: Final = "closed"
RESERVED: Final = "reserved"
#: How far a table has come before its game begins, and the phases of a deal after that.
GATHERING: Final = "gathering"
COMMITTING: Final = "committing"
REVEALING: Final = "revealing"
PHASES: Final = (
    observation.CUTTING,
    observation.NAMING,
    observation.FIRST_ROUND,
    observation.SECOND_ROUND,
    observation.DISCARDING,
    observation.PLAYING,
    observation.DONE,
)
STATES: Final = (GATHERING, COMMITTING, REVEALING, *PHASES)


class Search:
    """A search for everything that must stay secret of some games and shuffles."""

    def __init__(self, kept: Collection[Game | Shuffle]) -> None:
        self.bare: list[bytes] = []
        self.words: list[bytes] = []
        self.numbers: list[bytes] = []
        self.cards: list[bytes] = []
        for one in kept:
            self._hide(unseal(one.secret))
            sealed = bytes(one.secret)
            # what comes before these parts is the version and the time
            self.words += [
                sealed[20:50],
                sealed[50:80],
                sealed[80:110],
                sealed[20:50].hex().encode(),
            ]
            if isinstance(one, Game):
                self._hide_packs(one)
        thrown = Contribution.objects.filter(
            shuffle__in=[one for one in kept if isinstance(one, Shuffle)], number__isnull=False
        )
        for contribution in thrown:
            self._hide(bytes(contribution.number or b""))

    def _hide(self, secret: bytes) -> None:
        assert len(secret) == euf1.SECRET_SIZE
        for half in (secret[:15], secret[15:30]):  # base64 takes three bytes at a time
            self.bare += [half, repr(half)[2:-1].encode()]
            self.words += [half.hex().encode(), half.hex().upper().encode()]
            self.words += {base64.b64encode(half), base64.urlsafe_b64encode(half)}
            self.numbers.append(b",".join(b"%d" % byte for byte in half))

    def _hide_packs(self, game: Game) -> None:
        packs = packs_of(game)
        for deal in range(game.deal_number - 1, game.deal_number - 1 + DEALS):
            pack = packs(deal)
            for first in range(len(pack) - ROW + 1):
                row = pack[first : first + ROW]
                self.cards.append("".join(card_text(card) for card in row).upper().encode())
                self.numbers.append(b",".join(b"%d" % card for card in row))

    def told_by(self, content: bytes | str) -> list[bytes]:
        """What some bytes tell of it."""
        if isinstance(content, str):
            content = content.encode()
        cards = b" ".join(b"".join(found.findall(content)) for found in (CARD, CARD_ALONE))
        # Most pages lack a byte of what is looked for bare; and six bytes of most of the others.
        written = bytes(set(content))
        bare = [one for one in self.bare if not one.translate(None, written) and one in content]
        return bare + [
            needle
            for needles, within in (
                (self.words, b" ".join(WORD.findall(content))),
                (self.cards, cards.upper()),
                (self.numbers, b",".join(NUMBER.findall(content))),
            )
            for some in [{within[at : at + 6] for at in range(len(within))}]
            for needle in needles
            if needle[4:10] in some and needle in within
        ]


def kept(at: Collection[Table]) -> list[Game | Shuffle]:
    """What is not published at some tables."""
    return [
        *Game.objects.filter(table__in=at, ended=None),
        *Shuffle.objects.filter(table__in=at),
    ]


def tables(seated: Sequence[Player], rng: Random) -> list[Table]:
    """A table of every rule set in every state, by chance open, by invitation or of an event."""
    kinds = (OPEN, CLOSED, RESERVED)
    made = (
        table(seated[: rules.players], rules, rng.choice(kinds), state, rng)
        for rules in RULE_SETS.values()
        for state in states_of(rules)
    )
    return [one for one in made if one is not None]


def states_of(rules: RuleSet) -> list[str]:
    """The states that a table with these rules can come to."""
    never = [] if rules.cut else [observation.CUTTING]
    never += [] if rules.joker else [observation.NAMING]
    return [state for state in STATES if state not in never]


def table(
    seated: Sequence[Player], rules: RuleSet, kind: str, state: str, rng: Random
) -> Table | None:
    """A table in a state, or None if a game played by chance did not come to it.

    The browser in the first seat contributes a number, and all others where they are waited for.
    """
    at = _gathering(seated, rules, kind)
    browsers = [Browser(who, at, position) for position, who in enumerate(seated)]
    at.seats.update(throws_in=False)
    browsers[0].commit()
    if state == GATHERING:
        return at
    if state in (COMMITTING, REVEALING):
        at.seats.update(throws_in=True, last_seen=timezone.now())
    _take_seats(at, seated, throws_in=state in (COMMITTING, REVEALING))
    if state != COMMITTING:
        for browser in browsers[1:] if state == REVEALING else ():
            browser.commit()
        browsers[0].reveal()
    if state in (COMMITTING, REVEALING):
        return at
    return at if advance(at.games.get(), state, rng) else None


def _gathering(seated: Sequence[Player], rules: RuleSet, kind: str) -> Table:
    if kind == RESERVED:
        place = ReservedTable(seated, "Thursday euchre, table 3", "/events/1/")
        return reserved.open_tables([place], rules, seated[0], open=False)[0]
    at = seating.make_table(seated[0], rules, open=kind == OPEN)
    for position, who in enumerate(seated[:-1]):
        seating.sit(at, who, position)
    return at


def _take_seats(at: Table, seated: Sequence[Player], *, throws_in: bool) -> None:
    if at.reserved:
        reserved.begin(at.pk, 1, at.rules)
    else:
        seating.sit(at, seated[-1], len(seated) - 1, throws_in=throws_in)


def advance(game: Game, phase: str, rng: Random, most: int = 400) -> bool:
    """Play a game by chance until a deal is in a phase; False if that does not come.

    most: how many actions are tried.
    """
    engine = Play(game.rules, game.first_dealer, packs_of(game))
    events: list[GameEvent] = []
    wait = rng.randrange(3) * 15
    while engine.deal.phase != phase or (len(events) < wait and phase == observation.PLAYING):
        if engine.standing.over or len(events) == most:
            return False
        events.append(push(game, engine, rng.choice(engine.legal_actions())))
    if engine.standing.over:
        return False
    GameEvent.objects.bulk_create(events)
    game.version, game.turn, game.due = engine.version, engine.turn, None
    game.score_0, game.score_1 = engine.standing.score
    game.deal_number = engine.standing.deal_number
    game.save()
    return True
