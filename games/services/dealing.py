"""Begins games: draws the shuffle's secret, commits to it, and gives every deal its pack."""

import secrets
import uuid
from collections.abc import Callable, Iterator, Sequence

from django.db.models import Max

from games.engine import shuffle
from games.engine.game import Game as Play
from games.models import Game, GameSeat, Table
from games.secret_box import seal, unseal


class Packs:
    """The packs of one game, by the number of the deal from 0.

    It holds the game's secret decrypted: it is never printed, logged or kept longer than needed.
    """

    __slots__ = ("_mixed", "_rules", "_secret")

    def __init__(self, game: Game) -> None:
        self._rules = game.rules
        self._secret = unseal(game.secret)
        self._mixed = bytes(game.mixed)

    def __call__(self, deal: int) -> tuple[int, ...]:
        """Return the pack of a deal, top first and before the cut."""
        return shuffle.shuffled(self._rules, self._secret, self._mixed, deal)[0]

    def cut(self, deal: int) -> int:
        """Return how many cards the automatic cut of a deal lifts; 0 where nobody cuts."""
        return shuffle.shuffled(self._rules, self._secret, self._mixed, deal)[1]

    def __repr__(self) -> str:
        return "<Packs>"

    def __reduce__(self) -> str:
        raise TypeError("The packs of a game are not to be copied or stored.")


def packs_of(game: Game) -> Packs:
    """Return the packs of a game, for replaying it."""
    return Packs(game)


def auto_cut_of(game: Game) -> Callable[[int], int]:
    """Return the automatic cuts of a game: deal, from 0, to how many cards are lifted."""
    return Packs(game).cut


def new_game(table: Table) -> Game:
    """Begin the next game at a table whose seats are all taken; call it within a transaction.

    The clock sets `due` when it hears of the table, at the latest when it is swept; no seat's
    browser has contributed to the shuffle, which the mix says by its flags. Raises ValueError
    when a seat is free.
    """
    players = list(table.seats.order_by("position").values_list("player_id", flat=True))
    game = Game(
        id=uuid.uuid4(),
        table=table,
        number=(table.games.aggregate(last=Max("number"))["last"] or 0) + 1,
        rules_data=table.rules_data,
    )
    _shuffle(game, len(players))
    game.turn = Play(game.rules, game.first_dealer, packs_of(game)).turn
    game.due = game.moved
    game.save(force_insert=True)
    GameSeat.objects.bulk_create(_seats(game, players))
    return game


def _seats(game: Game, players: Sequence[int | None]) -> Iterator[GameSeat]:
    for position, player in enumerate(players):
        if player is None:
            raise ValueError(f"Seat {position} is free.")
        yield GameSeat(game=game, position=position, player_id=player)


def _shuffle(game: Game, seats: int) -> None:
    secret = secrets.token_bytes(shuffle.SECRET_SIZE)
    match = game.id.bytes
    nothing = [shuffle.NOTHING] * seats
    game.secret = seal(secret)
    game.commitment = shuffle.commit(match, secret)
    game.mixed = shuffle.mix(match, game.commitment, nothing, nothing)
    game.first_dealer = shuffle.first_dealer(secret, game.mixed, seats)
