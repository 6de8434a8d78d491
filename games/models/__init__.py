"""All models of the app, where Django looks for them: one file per noun."""

from .log import Game, GameEvent, GameSeat
from .people import Player, User
from .records import Performance
from .shuffles import Contribution, LogLine, Shuffle
from .tables import Seat, Table
from .tokens import Scope, Token

__all__ = [
    "Contribution",
    "Game",
    "GameEvent",
    "GameSeat",
    "LogLine",
    "Performance",
    "Player",
    "Scope",
    "Seat",
    "Shuffle",
    "Table",
    "Token",
    "User",
]
