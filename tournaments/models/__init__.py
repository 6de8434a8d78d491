"""The models of the app, one file a topic."""

from .acts import Act
from .club_lists import ListedName, UnwantedAddress
from .clubs import (
    Club,
    ClubCall,
    Division,
    DivisionPlayer,
    FeedKey,
    HouseRules,
    JoinRequest,
    Membership,
    Season,
    SeasonChange,
    SeasonTeam,
    TeamPlayer,
)
from .daily import DailyDeal, DailyHour, DailyReminder, DailyTry
from .entries import Entry, EntryPlayer, KeptApart, Substitution, Trophy
from .events import Announcement, Event, Notice
from .fair_play import FairPlayAct, FairPlayLook, FairPlayMatter, FairPlayMeasure
from .hooks import Delivery, Webhook
from .mail import Letter
from .past_results import PastResult
from .ratings import Pool, Rating, RatingChange, RatingHold
from .room import RetiredCode, RoomTable, ScoreLine
from .rounds import Correction, Pairing, PairingEntry, Round, SitOut
from .walk_ins import WalkIn

__all__ = [
    "Act",
    "Announcement",
    "Club",
    "ClubCall",
    "Correction",
    "DailyDeal",
    "DailyHour",
    "DailyReminder",
    "DailyTry",
    "Delivery",
    "Division",
    "DivisionPlayer",
    "Entry",
    "EntryPlayer",
    "Event",
    "FairPlayAct",
    "FairPlayLook",
    "FairPlayMatter",
    "FairPlayMeasure",
    "FeedKey",
    "HouseRules",
    "JoinRequest",
    "KeptApart",
    "Letter",
    "ListedName",
    "Membership",
    "Notice",
    "Pairing",
    "PairingEntry",
    "PastResult",
    "Pool",
    "Rating",
    "RatingChange",
    "RatingHold",
    "RetiredCode",
    "RoomTable",
    "Round",
    "ScoreLine",
    "Season",
    "SeasonChange",
    "SeasonTeam",
    "SitOut",
    "Substitution",
    "TeamPlayer",
    "Trophy",
    "UnwantedAddress",
    "WalkIn",
    "Webhook",
]
