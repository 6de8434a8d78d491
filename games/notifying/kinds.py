"""The kinds of notifications, and the ways in which each can be sent."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple


class Way(StrEnum):
    PAGE = "page"  # in the title and at the top of every open page
    PUSH = "push"
    MAIL = "mail"


class NotificationKind(NamedTuple):
    """A kind of notification.

    ways: whether it is sent in each way by default; a way that makes no sense is missing.
    own_round: it is about a round that the person plays, which quiet hours may let through.
    lasts: it is still of use when quiet hours end; otherwise it is dropped.
    """

    key: str
    label: str
    about: str
    ways: Mapping[Way, bool]
    own_round: bool = False
    lasts: bool = False


_PAGE, _PUSH, _MAIL = Way.PAGE, Way.PUSH, Way.MAIL

TURN: Final = NotificationKind(
    "turn", "Your turn", "When you are not looking at the table",
    {_PAGE: True, _PUSH: True}, own_round=True,
)  # fmt: skip
READY: Final = NotificationKind(
    "ready", "Your table is ready", "“Play now” has a seat for you", {_PUSH: True}
)
INVITE: Final = NotificationKind(
    "invite",
    "Somebody asks you to play",
    "At a table or, also by mail, as a partner in an event",
    {_PUSH: True, _MAIL: True},
)
CLUB_CALL: Final = NotificationKind(
    "club_call",
    "Somebody in your clubs looks for players",
    "At a table, while you are online",
    {_PAGE: True, _PUSH: False},
)
CHECK_IN: Final = NotificationKind(
    "check_in", "Check-in opens", "For an event in which you have a place",
    {_PAGE: True, _PUSH: True, _MAIL: True}, own_round=True,
)  # fmt: skip
ROUND: Final = NotificationKind(
    "round", "Your round starts", "With your table", {_PAGE: True, _PUSH: True}, own_round=True
)
DIRECTOR: Final = NotificationKind(
    "director", "A message from the director", "To everybody in an event",
    {_PUSH: True, _MAIL: False}, lasts=True,
)  # fmt: skip
TO_TABLE: Final = NotificationKind(
    "to_table", "A message to your table", "From the director, while you play there",
    {_PAGE: True, _PUSH: True}, own_round=True,
)  # fmt: skip
DAY_BEFORE: Final = NotificationKind(
    "day_before", "Your event is tomorrow", "A day before the start",
    {_PUSH: True, _MAIL: True}, lasts=True,
)  # fmt: skip
HOUR_BEFORE: Final = NotificationKind(
    "hour_before", "Your event is about to start", "An hour before the start",
    {_PUSH: True, _MAIL: False},
)  # fmt: skip
RESULTS: Final = NotificationKind(
    "results", "Results", "When the places are final", {_PUSH: False, _MAIL: True}, lasts=True
)
NEWS: Final = NotificationKind(
    "news", "News from your clubs", "From the clubs whose news you get",
    {_PUSH: False, _MAIL: True}, lasts=True,
)  # fmt: skip
REPORTS: Final = NotificationKind(
    "reports", "Answers to your reports", "When the site’s staff have decided",
    {_PUSH: False, _MAIL: True}, lasts=True,
)  # fmt: skip
DAILY_RESULTS: Final = NotificationKind(
    "daily_results", "Results of the daily deal", "When a day that you have played closes",
    {_PUSH: False, _MAIL: False}, lasts=True,
)  # fmt: skip
DAILY_DEAL: Final = NotificationKind(
    "daily_deal", "The daily deal", "At the hour that you choose on its page",
    {_PUSH: True, _MAIL: False}, lasts=True,
)  # fmt: skip

#: The kinds by heading, in the order of the settings page.
GROUPS: Final[Mapping[str, tuple[NotificationKind, ...]]] = {
    "At the table": (TURN, READY, INVITE, CLUB_CALL),
    "Events": (CHECK_IN, ROUND, DIRECTOR, TO_TABLE, DAY_BEFORE, HOUR_BEFORE, RESULTS),
    "The daily deal": (DAILY_RESULTS, DAILY_DEAL),
    "People": (NEWS, REPORTS),
}
KINDS: Final[Mapping[str, NotificationKind]] = {
    one.key: one for group in GROUPS.values() for one in group
}
