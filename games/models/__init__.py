"""All models of the app, where Django looks for them: one file per noun."""

from .asking import SeatRequest, Trace
from .heartbeats import Heartbeat
from .keys import KeyMark
from .log import Game, GameEvent, GameSeat
from .own_data import Deletion, Farewell, HeldName, PastName, Takeaway, TakeawayFile
from .people import Player, User
from .proposals import Proposal
from .records import Performance
from .shuffles import Contribution, LogLine, Shuffle
from .tables import Seat, SeenFrom, Table
from .tokens import Scope, Token

__all__ = [
    "Contribution",
    "Deletion",
    "Farewell",
    "Game",
    "GameEvent",
    "GameSeat",
    "Heartbeat",
    "HeldName",
    "KeyMark",
    "LogLine",
    "PastName",
    "Performance",
    "Player",
    "Proposal",
    "Scope",
    "Seat",
    "SeatRequest",
    "SeenFrom",
    "Shuffle",
    "Table",
    "Takeaway",
    "TakeawayFile",
    "Token",
    "Trace",
    "User",
]
