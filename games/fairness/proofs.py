"""The published data of a game's shuffle, arranged as verification steps."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Final, NamedTuple

from games.engine.actions import CUT
from games.engine.cards import cards_in, suit_of
from games.engine.rules import RuleSet
from games.engine.seats import compass
from games.engine.shuffle import NOTHING
from games.files.played import PlayedDeal
from games.files.record import play
from games.models import Game, Player
from games.picture import phrases
from games.records.finished import running
from games.records.game_files import record_of

#: The suit symbols, each with the selector for text (not emoji) presentation; none for the joker.
_SUIT_SYMBOLS: Final = (*(f"{sign}\ufe0e" for sign in "♣♦♥♠"), "")
NO_NUMBER: Final = "none"


class ProofValues(NamedTuple):
    """(name, value) rows under a title, which may be empty."""

    title: str
    rows: tuple[tuple[str, str], ...]


class ProofStep(NamedTuple):
    """One verification step; `name` is for the page's script.

    `later`: only available after the game.
    """

    name: str
    title: str
    about: str
    values: tuple[ProofValues, ...] = ()
    later: bool = False


class Proof(NamedTuple):
    """The context of the page "Verify this match".

    `seat` is the viewer's own, or -1; of shared deals, the number among the seats of all tables.
    `shuffle_id` is the id under which the shuffle was promised.
    """

    game_id: uuid.UUID
    shuffle_id: uuid.UUID
    table_id: int
    number: int
    running: bool
    names: tuple[str, ...]
    seat: int
    steps: tuple[ProofStep, ...]

    @property
    def names_json(self) -> str:
        return json.dumps(self.names)


STEPS: Final = (
    ProofStep(
        "promise",
        "What the server promised before the game",
        "When the table was opened, or another game was started at it, the server drew a secret "
        "number and published its fingerprint. A number has only one fingerprint, and nobody can "
        "find another number with the same. At the end the secret itself is published.",
        later=True,
    ),
    ProofStep(
        "seats",
        "What each seat contributed",
        "Each player’s browser drew a number of its own and sent the fingerprint before the game. "
        "The browsers revealed their numbers only once all fingerprints were fixed, so nobody "
        "could choose one to suit the others’. House players, programs, browsers without scripts "
        "and late ones contribute nothing; the shuffle then uses the other contributions. A player "
        "who commits to a number and withholds it can choose between two shuffles, which helps "
        "only someone who knows the secret.",
    ),
    ProofStep(
        "mix",
        "The mix",
        "The secret number and all contributions together make one number, the mix. Had any seat "
        "contributed a different number, every hand would have been different.",
    ),
    ProofStep(
        "dealer",
        "Who dealt first",
        "The secret and the mix determine who deals first; then the deal passes round the table.",
        later=True,
    ),
    ProofStep(
        "hands",
        "Every pack, cut and hand",
        "The secret, the mix and the number of the hand determine the order of the pack. It is "
        "cut and dealt here as it was at the table. A player may cut anywhere; a cut that "
        "the table made follows from the shuffle too.",
        later=True,
    ),
    ProofStep(
        "cards",
        "The cards played, and the points",
        "Every card that was played or discarded must have been dealt to that hand, or turned up "
        "for the dealer, and be played only once. Tricks and points must follow from these cards, "
        "and the points add up.",
        later=True,
    ),
    ProofStep(
        "record",
        "The record, its parts and its seal",
        "Each part of the record has a fingerprint, and the seal is the fingerprint of these. "
        "Whatever is altered later, if only by one letter, no longer fits. Names are not part of "
        "the seal, since players may change theirs.",
        later=True,
    ),
    ProofStep(
        "log",
        "The public log",
        "A public log records every commitment, start and end, including games that were "
        "cancelled. Each line holds the fingerprint of the line before, so no line can be altered "
        "or removed without changing all that follow.",
    ),
)


def proof_of(game: Game, viewer: Player | None) -> Proof:
    """Return what has been published of a game; the viewer must be allowed to see its table."""
    seats = list(game.seats.select_related("player").order_by("position"))
    names = tuple(seat.player.name for seat in seats)
    own = [seat.position for seat in seats if viewer is not None and seat.player_id == viewer.pk]
    at_play = running(game)
    values = _values_at_start(game, names)
    if not at_play:
        values |= _values_at_end(game, names)
    return Proof(
        game_id=game.pk,
        shuffle_id=game.table.shared_deals_id or game.pk,
        table_id=game.table_id,
        number=game.number,
        running=at_play,
        names=names,
        seat=own[0] + game.table.first_place if own else -1,
        steps=tuple(
            step._replace(values=values.get(step.name, ()), later=step.later and at_play)
            for step in STEPS
        ),
    )


def _values_at_start(game: Game, names: tuple[str, ...]) -> dict[str, tuple[ProofValues, ...]]:
    commitments, numbers = game.commitments_and_contributions
    shared = game.table.shared_deals_id is not None
    return {
        "promise": (ProofValues("", (_promise(game),)),),
        "seats": tuple(
            ProofValues(
                _seat_of_all(seat) if shared else f"{compass(len(names), seat)}, {names[seat]}",
                (("Fingerprint", _hex(commitments[seat])), ("Number", _hex(numbers[seat]))),
            )
            for seat in range(len(commitments))
        ),
        "mix": (ProofValues("", (("The mix", bytes(game.mixed).hex()),)),),
    }


def _seat_of_all(seat: int) -> str:
    """Return a seat among those of all tables that share their deals: "Table 2, East"."""
    table, at = divmod(seat, 4)
    return f"Table {table + 1}, {compass(4, at)}"


def _promise(game: Game) -> tuple[str, str]:
    return "Fingerprint of the secret", bytes(game.commitment).hex()


def _values_at_end(game: Game, names: tuple[str, ...]) -> dict[str, tuple[ProofValues, ...]]:
    record = record_of(game)
    dealer = f"{compass(game.rules.players, record.first_dealer)}, {names[record.first_dealer]}"
    return {
        "promise": (ProofValues("", (_promise(game), ("The secret", record.secret.hex()))),),
        "dealer": (ProofValues("", (("First dealer", dealer),)),),
        "hands": tuple(
            ProofValues(
                f"Hand {hand.number}, dealt by {names[hand.deal.dealer]}",
                tuple(_dealt(game.rules, hand, names)),
            )
            for hand in play(record).deals
        ),
    }


def _dealt(rules: RuleSet, played: PlayedDeal, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    deal = played.deal
    yield "Pack, top first", _cards(deal.pack)
    lifted = [action.value for action in deal.actions if action.kind == CUT]
    if rules.cut:
        yield "Cards lifted off", str(lifted[0]) if lifted else "not cut"
    hands, turn_up = deal.start
    for seat, hand in enumerate(hands):
        yield names[seat], _cards(tuple(cards_in(hand)))
    if hands:
        yield "Turned up", _cards((turn_up,))


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join(phrases.index(card) + _SUIT_SYMBOLS[suit_of(card)] for card in cards)


def _hex(number: bytes) -> str:
    return NO_NUMBER if number == NOTHING else number.hex()
