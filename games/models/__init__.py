"""All models of the app, for Django to find."""

from .analyses import Analysis
from .archives import GameArchive, GameSubstitute
from .friends import Friendship, Invitation, LastHere
from .heartbeats import Heartbeat
from .keys import KeyMark
from .lessons import SolvedStep
from .log import Game, GameEvent, GameSeat
from .notifying import NotificationChoice, PushDevice, PushMessage, QuietHours
from .office import About, Ban, OperatorAct, Report, TakenCase, TaskFailure
from .own_data import Deletion, Farewell, HeldName, PastName, Takeaway, TakeawayFile
from .people import Player, User
from .proposals import Proposal
from .puzzles import PuzzleProgress
from .quick import Avoidance, Seeker
from .records import Performance
from .reviews import Puzzle, Review
from .seat_requests import SeatRequest, Trace
from .shared_deals import SharedDeals
from .shuffles import Contribution, LogLine, Shuffle
from .tables import Seat, SeenFrom, Table
from .talk import Mute, Sanction, TalkLine, TalkReport
from .tokens import Scope, Token

__all__ = [
    "About",
    "Analysis",
    "Avoidance",
    "Ban",
    "Contribution",
    "Deletion",
    "Farewell",
    "Friendship",
    "Game",
    "GameArchive",
    "GameEvent",
    "GameSeat",
    "GameSubstitute",
    "Heartbeat",
    "HeldName",
    "Invitation",
    "KeyMark",
    "LastHere",
    "LogLine",
    "Mute",
    "NotificationChoice",
    "OperatorAct",
    "PastName",
    "Performance",
    "Player",
    "Proposal",
    "PushDevice",
    "PushMessage",
    "Puzzle",
    "PuzzleProgress",
    "QuietHours",
    "Report",
    "Review",
    "Sanction",
    "Scope",
    "Seat",
    "SeatRequest",
    "Seeker",
    "SeenFrom",
    "SharedDeals",
    "Shuffle",
    "SolvedStep",
    "Table",
    "Takeaway",
    "TakeawayFile",
    "TakenCase",
    "TalkLine",
    "TalkReport",
    "TaskFailure",
    "Token",
    "Trace",
    "User",
]
