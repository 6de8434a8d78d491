"""The packs and automatic cuts of a stored game, and the chance of house players at solo tables."""

import hmac
import json
from collections.abc import Callable

from games.engine import shuffle
from games.engine.observation import Observation
from games.engine.rules import RuleSet
from games.models import Game
from games.shuffle.secret_box import secret_of


class Packs:
    """The packs of one game, by the number of the deal from 0.

    Holds the decrypted secret, so never print, log or store it.
    """

    __slots__ = ("_last", "_mixed", "_rules", "_secret")

    def __init__(self, rules: RuleSet, secret: bytes, mixed: bytes) -> None:
        self._rules = rules
        self._secret = secret
        self._mixed = mixed
        self._last: tuple[int, tuple[int, ...]] = (-1, ())

    def __call__(self, deal: int) -> tuple[int, ...]:
        if self._last[0] != deal:  # the next hand is dealt once to store it and once to show it
            pack = shuffle.shuffled(self._rules, self._secret, self._mixed, deal)[0]
            self._last = (deal, pack)
        return self._last[1]

    def cut(self, deal: int) -> int:
        """Return how many cards the automatic cut of a deal lifts; 0 if the rules have no cut."""
        return shuffle.shuffled(self._rules, self._secret, self._mixed, deal)[1]

    def position(self, seen: Observation) -> bytes:
        """Return a digest of a deal and all that a seat has seen of it; the score is no part of it.

        It follows from the secret, so that nobody can tell it beforehand.
        """
        told = [
            seen.standing.deal_number, seen.seat, seen.phase, seen.hand, seen.discard,
            seen.turn_up, seen.plays, [trick.plays for trick in seen.tricks],
            [(seat, str(action)) for seat, action in (*seen.calls, *seen.answers)],
        ]  # fmt: skip
        return hmac.digest(self._secret, json.dumps(told).encode(), "sha256")

    def __repr__(self) -> str:
        return "<Packs>"

    def __reduce__(self) -> str:
        raise TypeError("The packs of a game must not be copied or stored.")


def packs_of(game: Game) -> Packs:
    return Packs(game.rules, secret_of(game), bytes(game.mixed))


def auto_cut_of(game: Game) -> Callable[[int], int]:
    """Return a function from a deal's number (from 0) to how many cards its automatic cut lifts."""
    return packs_of(game).cut
