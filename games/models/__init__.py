"""All models of the app, where Django looks for them: one file per noun."""

from .log import Game, GameEvent, GameSeat
from .people import Player, User
from .records import Performance
from .tables import Seat, Table
from .tokens import Scope, Token

__all__ = [
    "Game",
    "GameEvent",
    "GameSeat",
    "Performance",
    "Player",
    "Scope",
    "Seat",
    "Table",
    "Token",
    "User",
]
