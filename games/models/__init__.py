"""All models of the app, for Django to find."""

from .heartbeats import Heartbeat
from .keys import KeyMark
from .log import Game, GameEvent, GameSeat
from .office import About, Ban, OperatorAct, Report, TaskFailure
from .own_data import Deletion, Farewell, HeldName, PastName, Takeaway, TakeawayFile
from .people import Player, User
from .proposals import Proposal
from .quick import Avoidance, Seeker
from .records import Performance
from .reviews import Puzzle, Review
from .seat_requests import SeatRequest, Trace
from .shared_deals import SharedDeals
from .shuffles import Contribution, LogLine, Shuffle
from .tables import Seat, SeenFrom, Table
from .tokens import Scope, Token

__all__ = [
    "About",
    "Avoidance",
    "Ban",
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
    "OperatorAct",
    "PastName",
    "Performance",
    "Player",
    "Proposal",
    "Puzzle",
    "Report",
    "Review",
    "Scope",
    "Seat",
    "SeatRequest",
    "Seeker",
    "SeenFrom",
    "SharedDeals",
    "Shuffle",
    "Table",
    "Takeaway",
    "TakeawayFile",
    "TaskFailure",
    "Token",
    "Trace",
    "User",
]
