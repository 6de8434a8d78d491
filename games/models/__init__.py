"""All models of the app, where Django looks for them: one file per noun."""

from .log import Game, GameEvent, GameSeat
from .people import Player, User
from .tables import Seat, Table

__all__ = ["Game", "GameEvent", "GameSeat", "Player", "Seat", "Table", "User"]
