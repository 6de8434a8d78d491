"""Events: their settings and state, their record, and announcements of clubs."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, ClassVar, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from games.engine.rules import RuleSet
from games.models import Player, Table
from games.models.stored_rules import stored_rules
from tournaments import prize_money
from tournaments.formats.base import Format, KnockOut
from tournaments.formats.comparison import Scoring
from tournaments.formats.registry import FORMATS, KNOCK_OUTS
from tournaments.formats.tie_breaks import CURRENT, OF_DUPLICATE, TieBreak
from tournaments.prize_money import Terms, prizes_from

from .clubs import Club, Season

FORMAT_CHOICES: Final = [(one.key, one.name) for one in FORMATS.values()]


def new_seed() -> str:
    return secrets.token_hex(16)


#: Characters of a join code: none that is taken for another, and no vowels, so that it is no word.
JOIN_LETTERS: Final = "23456789CDFGHJKMNPQRTVWXY"
JOIN_LENGTH: Final = 5


def free_join_code() -> str:
    """Return a code that no event has that is not over."""
    while True:
        code = "".join(secrets.choice(JOIN_LETTERS) for _ in range(JOIN_LENGTH))
        if not Event.objects.filter(join_code=code, ended=None).exists():
            return code


def current_edition() -> int:
    """Return the edition of FIDE's tie-break regulations that applies to new events."""
    return CURRENT


class Event(models.Model):
    """A tournament of a club; `capacity` and `minimum` count entries.

    An entry is one player in the individual formats and in heads-up, otherwise a partnership.
    `cut_to` is the round after which the first stage ends early, because those who are left cannot
    play more. `room_from` is the first table in the room of a mixed event; `venue` is the room's
    name. `due` is when the clock has to process it next; None: only when something happens.
    `put_off` is how much later than set it starts, because of an outage of the site. `reminded` is
    until when reminders are written; None: none yet. `entry_money` and its parts are in the
    smallest unit of `currency`, which is the club's at the time (`tournaments.prize_money`).
    `tie_break_edition` is the edition of FIDE's regulations when it started, so that later ones
    do not change its standings. `trouble` is the error of the last step if that failed.
    `version` is incremented by every change that its page shows. `play_offs_of`: the season
    whose table seeded it, and in which it does not count. `series_day`: the date of a repeated
    event by the rule of its series, in the club's time zone; None: that of its start.
    `bracket_by_hand`: a list of a round, its turn in the bracket, and who plays there for whom.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        ANNOUNCED = "announced", "Announced"
        REGISTRATION = "registration", "Registration open"
        CHECK_IN = "check_in", "Check-in"
        READY = "ready", "Registration closed"
        RUNNING = "running", "Running"
        FINISHED = "finished", "Finished"
        CANCELLED = "cancelled", "Cancelled"

    class Match(models.TextChoices):
        GAME = "game", "One game"
        BEST_OF_3 = "best_of_3", "Best of three games"
        BEST_OF_5 = "best_of_5", "Best of five games"
        DEALS = "deals", "A number of hands"

    class Movement(models.TextChoices):
        """Who moves where after a progressive round; see `formats.progressive`."""

        UP = "up", "Winners move up, losers stay"
        UP_AND_DOWN = "up and down", "Winners move up, losers move down"
        STAY = "stay", "Winners stay, losers move down"
        FIXED = "fixed", "Fixed: North stays, South moves down, East up, West up two"

    class Place(models.TextChoices):
        """Where its tables are: on the site, or in a room with real cards."""

        ONLINE = "online", "Online"
        ROOM = "room", "In the room, with real cards"
        MIXED = "mixed", "Some tables online, the others in the room"

    class Scores(models.TextChoices):
        """How the results of a duplicate event are compared; see `formats.comparison`."""

        POINTS = Scoring.POINTS.value, "The difference to the other tables in points"
        MATCHPOINTS = Scoring.MATCHPOINTS.value, "Matchpoints: how many other tables it beats"

    class SitOut(models.TextChoices):
        """What happens to those left over by an odd number."""

        AVERAGE = "average", "They sit out and get their own average"
        FIXED = "fixed", "They sit out and get a fixed credit"
        HOUSE = "house", "House players fill the table"

    class NoShow(models.TextChoices):
        """What happens when a player has not come to the table in time."""

        FORFEIT = "forfeit", "Their side loses the match"
        STAND_IN = "stand_in", "A house player plays for them until they come"

    class Ties(models.TextChoices):
        """What follows when a match is tied that need not have a winner."""

        STAND = "stand", "It stands: half a win for each side"
        HAND = "hand", "The table plays one more hand, until one side is ahead"

    class Recurrence(models.TextChoices):
        """On which days events like this one follow."""

        NONE = "", "No"
        WEEKLY = "weekly", "Every week"
        FORTNIGHTLY = "fortnightly", "Every two weeks"
        MONTHLY = "monthly", "Every month, in the same week"
        LAST = "last", "Every month, in the last week"

    class TimeUp(models.TextChoices):
        """How an unfinished match ends when the round's time is up."""

        HAND = "hand", "The hand being played is finished, then the score decides"
        SCORE = "score", "The score decides at once"

    club = models.ForeignKey(Club, on_delete=models.PROTECT, related_name="events")
    name = models.CharField(max_length=80)
    about = models.TextField(max_length=2000, blank=True)
    rules_data = models.JSONField()
    created_by = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="events_made")
    created = models.DateTimeField(default=timezone.now)
    recurrence = models.CharField(
        max_length=11, choices=Recurrence, default=Recurrence.NONE, blank=True
    )
    no_event_on = models.JSONField(default=list, blank=True)  # ISO dates in the club's time zone
    series_day = models.DateField(null=True, blank=True, editable=False)
    template = models.BooleanField(default=False)  # planned nights can begin with its settings
    play_offs_of = models.ForeignKey(
        Season, on_delete=models.SET_NULL, null=True, blank=True, related_name="play_offs"
    )
    repeat_of = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="repeats"
    )

    # How it is played
    place = models.CharField(max_length=6, choices=Place, default=Place.ONLINE)
    room_from = models.PositiveSmallIntegerField(null=True, blank=True)
    venue = models.CharField(max_length=80, blank=True, default="")
    address = models.CharField(max_length=160, blank=True, default="")
    format = models.CharField(max_length=18, choices=FORMAT_CHOICES)
    rounds = models.PositiveSmallIntegerField(null=True, blank=True)
    movement = models.CharField(max_length=11, choices=Movement, default=Movement.UP)
    cycles = models.PositiveSmallIntegerField(default=1)
    third_place = models.BooleanField(default=False)
    second_stage = models.CharField(max_length=18, choices=FORMAT_CHOICES, blank=True)
    qualifiers = models.PositiveSmallIntegerField(null=True, blank=True)
    match = models.CharField(max_length=9, choices=Match, default=Match.GAME)
    deals = models.PositiveSmallIntegerField(null=True, blank=True)
    final_match = models.CharField(max_length=9, choices=Match, blank=True)
    final_deals = models.PositiveSmallIntegerField(null=True, blank=True)
    ties = models.CharField(max_length=5, choices=Ties, default=Ties.STAND)
    scoring = models.CharField(max_length=11, choices=Scores, default=Scores.POINTS)
    tie_breaks = models.JSONField(default=list)
    tie_break_edition = models.PositiveSmallIntegerField(default=current_edition, editable=False)
    sit_out = models.CharField(max_length=7, choices=SitOut, default=SitOut.AVERAGE)
    credit_half_wins = models.PositiveSmallIntegerField(default=2)
    late_half_wins = models.PositiveSmallIntegerField(default=0)  # for each round missed
    rated = models.BooleanField(default=True)
    house_prizes = models.BooleanField(default=False)

    # Entry money, for each entry
    currency = models.CharField(max_length=3, blank=True, default="")
    entry_money = models.PositiveIntegerField(default=0)
    club_share = models.PositiveIntegerField(default=0)
    lone_pot = models.PositiveIntegerField(default=0)
    euchre_pot = models.PositiveIntegerField(default=0)
    prizes = models.JSONField(default=list, blank=True)

    # Who may enter
    capacity = models.PositiveSmallIntegerField()
    minimum = models.PositiveSmallIntegerField(default=4)
    members_only = models.BooleanField(default=True)
    min_rating = models.PositiveSmallIntegerField(null=True, blank=True)
    max_rating = models.PositiveSmallIntegerField(null=True, blank=True)
    min_games = models.PositiveSmallIntegerField(default=0)

    # When
    registration_opens = models.DateTimeField()
    registration_closes = models.DateTimeField()
    check_in_minutes = models.PositiveSmallIntegerField(default=0)
    starts = models.DateTimeField(db_index=True)
    put_off = models.DurationField(default=timedelta)
    reminded = models.DateTimeField(null=True, blank=True, editable=False)
    round_minutes = models.PositiveSmallIntegerField(null=True, blank=True)
    time_up = models.CharField(max_length=5, choices=TimeUp, default=TimeUp.HAND)
    break_seconds = models.PositiveSmallIntegerField(default=60)
    turn_seconds = models.PositiveSmallIntegerField(null=True, blank=True)
    delayed = models.BooleanField(default=False)
    no_show = models.CharField(max_length=8, choices=NoShow, default=NoShow.FORFEIT)
    no_show_minutes = models.PositiveSmallIntegerField(default=5)
    withdraw_absent = models.BooleanField(default=False)

    # State
    state = models.CharField(max_length=12, choices=State, default=State.DRAFT)
    seed = models.CharField(max_length=32, default=new_seed, editable=False)
    join_code = models.CharField(max_length=JOIN_LENGTH, blank=True, editable=False)
    due = models.DateTimeField(null=True, blank=True, db_index=True)
    paused = models.DateTimeField(null=True, blank=True)
    paused_for = models.DurationField(default=timedelta)
    started = models.DateTimeField(null=True, blank=True)
    final_at = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    cut_to = models.PositiveSmallIntegerField(null=True, blank=True)
    bracket_by_hand = models.JSONField(default=list, blank=True)
    to_rate = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=0)
    trouble = models.CharField(max_length=300, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["starts", "pk"]
        indexes: ClassVar = [
            models.Index(fields=["state", "starts"], name="event_by_state_and_start"),
            models.Index(fields=["ended"], name="event_in_order_of_end"),
            models.Index(fields=["ended"], condition=models.Q(to_rate=True), name="event_to_rate"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(
                    state__in=[
                        "draft",
                        "announced",
                        "registration",
                        "check_in",
                        "ready",
                        "running",
                        "finished",
                        "cancelled",
                    ]
                ),
                name="event_state_known",
            ),
            models.CheckConstraint(
                condition=models.Q(registration_opens__lte=models.F("registration_closes"))
                & models.Q(registration_closes__lte=models.F("starts")),
                name="event_times_in_order",
            ),
            models.CheckConstraint(
                condition=models.Q(minimum__lte=models.F("capacity")),
                name="event_minimum_within_capacity",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    entry_money__gte=models.F("club_share")
                    + models.F("lone_pot")
                    + models.F("euchre_pot")
                ),
                name="event_shares_within_entry_money",
            ),
            models.UniqueConstraint(fields=["repeat_of", "starts"], name="event_repeats_once"),
            models.UniqueConstraint(
                fields=["join_code"],
                condition=models.Q(ended=None) & ~models.Q(join_code=""),
                name="event_join_code_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the event; a new one gets its join code."""
        if self._state.adding and not self.join_code:
            self.join_code = free_join_code()
        super().save(*args, **kwargs)

    def clean(self) -> None:
        """Clear unused settings and check the others; raise ValidationError by field."""
        clear_unused_settings(self)
        wrong = dict(problems(self))
        if wrong:
            raise ValidationError(wrong)

    @property
    def talk(self) -> str:
        """Return what players may say at its tables (`Table.talk`), by the club's rule.

        Nothing but phrases is said while a game of a rated event is played.
        """
        rule = self.club.talk
        return Table.Talk.AFTER if self.rated and rule == Table.Talk.FREE else rule

    @property
    def rules(self) -> RuleSet:
        return stored_rules(self.rules_data)

    @property
    def first_stage(self) -> Format:
        """The format of its first or only stage; a plain `Format` while none is chosen."""
        return FORMATS.get(self.format) or Format()

    @property
    def knock_out(self) -> KnockOut | None:
        """The format of its knock-out, as the only stage or the second one; None without one."""
        return KNOCK_OUTS.get(self.format) or KNOCK_OUTS.get(self.second_stage)

    @property
    def individual(self) -> bool:
        return self.first_stage.individual

    @property
    def is_knock_out(self) -> bool:
        return self.first_stage.knock_out

    @property
    def rounds_known(self) -> bool:
        """Whether its rounds do not depend on results, so that movement cards can be printed."""
        return self.first_stage.rounds_known(self)

    @property
    def where(self) -> str:
        """The name and address of its room: "The Old Mill, 12 Mill Lane, Ashford", or empty."""
        return ", ".join(filter(None, (self.venue, self.address)))

    def in_room(self, table: int) -> bool:
        """Return whether table number `table` is in the room, as it was set up."""
        if self.place == self.Place.MIXED:
            return table >= (self.room_from or 1)
        return self.place == self.Place.ROOM

    @property
    def terms(self) -> Terms:
        return Terms(
            self.entry_money,
            self.club_share,
            self.lone_pot,
            self.euchre_pot,
            prizes_from(self.prizes),
        )

    @property
    def withdraws_absent(self) -> bool:
        """Whether missing rounds leads to withdrawal; where the house plays, only if set."""
        return self.no_show == self.NoShow.FORFEIT or self.withdraw_absent

    @property
    def team_size(self) -> int:
        return 1 if self.individual else self.rules.players // 2

    def round_count(self, entries: int) -> int | None:
        """Return the rounds set for the first stage, fewer if need be; None for a knock-out."""
        wanted = self.first_stage.wanted_rounds(self, entries)
        if wanted is None:
            return None
        limits = (self.cut_to, self.first_stage.most_rounds(entries))
        return min([wanted, *(most for most in limits if most is not None)])


class Notice(models.Model):
    """A line of an event's record. by: None for the clock. public: shown on the event's page."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="notices")
    by = models.ForeignKey(Player, on_delete=models.SET_NULL, null=True, blank=True)
    at = models.DateTimeField(default=timezone.now)
    text = models.CharField(max_length=300)
    public = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["-at", "-pk"]

    def __str__(self) -> str:
        return self.text


class Announcement(models.Model):
    """A message to a club's members, on its page and by e-mail to those who want it."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="announcements")
    author = models.ForeignKey(Player, on_delete=models.PROTECT)
    subject = models.CharField(max_length=100)
    text = models.TextField(max_length=5000)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-at", "-pk"]

    def __str__(self) -> str:
        return self.subject


# Validation of an event's settings.

Problem = tuple[str, str]

TWO_PLAY: Final = "These rules are for two; choose another format, or rules for four."

#: The most entries that any format allows.
MAX_ENTRIES: Final = max(one.most_entries for one in FORMATS.values())
#: How many games win a match.
GAMES_TO_WIN: Final[Mapping[str, int]] = {
    Event.Match.GAME: 1,
    Event.Match.BEST_OF_3: 2,
    Event.Match.BEST_OF_5: 3,
}
#: The usual points of a hand; a house may change them. The last one is a common option.
USUAL_POINTS: Final[Mapping[str, int]] = {
    "made": 1, "march": 2, "alone_made": 1, "alone_march": 4, "euchre": 2, "skunk": 4,
}  # fmt: skip
#: Values of settings in formats that do not use them.
UNUSED: Final[Mapping[str, object]] = {
    "rounds": None, "cycles": 1, "second_stage": "", "scoring": Event.Scores.POINTS,
    "late_half_wins": 0,
}  # fmt: skip
#: The deals of a duplicate round where nothing is set.
USUAL_DEALS: Final = 4
#: The seconds to act in a duplicate event where nothing is set.
USUAL_TURN: Final = 45
MAX_ROUNDS: Final = 50
MAX_CYCLES: Final = 4
MAX_HANDS: Final = 100
LONGEST_ROUND: Final = 600  # minutes
LONGEST_BREAK: Final = 3600  # seconds
LONGEST_WAIT: Final = 60  # minutes
TURN: Final = (10, 300)  # seconds
HIGHEST_RATING: Final = 4000


def match_length(event: Event, match: str, deals: int | None) -> int:
    """Return the length of a kind of match: its hands, or the points that win it.

    Points are scaled by what a hand is usually worth: a game to 40 with 40 points for a march is no
    longer than one to 2.
    """
    if match == Event.Match.DEALS:
        return deals or 0
    rules = event.rules
    if rules.target is None:
        return (rules.deals or 0) * GAMES_TO_WIN[match]
    worth = max(
        getattr(rules, points) / usual
        for points, usual in USUAL_POINTS.items()
        if rules.alone or not points.startswith("alone")
    )
    return int(rules.target * GAMES_TO_WIN[match] / worth)


def clear_unused_settings(event: Event) -> None:
    """Reset the settings that the event's format does not use."""
    used = event.first_stage.settings
    for name in UNUSED.keys() - used:
        setattr(event, name, UNUSED[name])
    if "tie_breaks" not in used:
        event.tie_breaks = []
    if event.first_stage.duplicate:
        _set_up_duplicate(event)
    if event.first_stage.duplicate or event.is_knock_out:
        event.ties = Event.Ties.STAND
    if event.no_show != Event.NoShow.STAND_IN:
        event.withdraw_absent = False
    if event.knock_out is None or "third_place" not in event.knock_out.settings:
        event.third_place = False
    if event.knock_out is None:
        event.final_match = ""
    needed = {
        "venue": event.place != Event.Place.ONLINE,
        "address": event.place != Event.Place.ONLINE,
        "qualifiers": bool(event.second_stage),
        "deals": event.match == Event.Match.DEALS,
        "final_deals": event.final_match == Event.Match.DEALS,
        "room_from": event.place == Event.Place.MIXED,
    }
    for name in (name for name, is_needed in needed.items() if not is_needed):
        setattr(event, name, "" if name in ("venue", "address") else None)
    if not event.entry_money:
        event.currency, event.prizes = "", []
        event.club_share = event.lone_pot = event.euchre_pot = 0


def _set_up_duplicate(event: Event) -> None:
    """Let a round have a number of deals and a time to act, and the score be the first tie-break.

    Without a time to act a table could lag far behind one that has played the same deals.
    """
    event.match, event.deals = Event.Match.DEALS, event.deals or USUAL_DEALS
    if event.ended is None:
        event.turn_seconds = event.turn_seconds or USUAL_TURN
    if event.tie_breaks:
        score = str(TieBreak.DUPLICATE)
        event.tie_breaks = [score, *(one for one in event.tie_breaks if one != score)]


def problems(event: Event) -> Iterator[Problem]:
    """Yield what is wrong with an event's settings, as field and sentence; skips missing values."""
    yield from _format(event)
    yield from _place(event)
    yield from _match(event)
    yield from _rated(event)
    yield from _tie_breaks(event)
    yield from _entries(event)
    yield from _conditions(event)
    yield from _times(event)
    yield from _pace(event)
    yield from _money(event)


def _format(event: Event) -> Iterator[Problem]:
    if event.individual and event.rules_data and event.rules.players != 4:
        yield "format", f"Partners change every round, which needs four players. {TWO_PLAY}"
    elif event.first_stage.duplicate and event.rules_data and event.rules.players != 4:
        yield "format", f"Duplicate needs four players at a table. {TWO_PLAY}"
    if event.second_stage and event.second_stage not in KNOCK_OUTS:
        yield "second_stage", "The last stage is single or double elimination."
    if event.started is None:
        places = _given(event, "capacity")
        possible = event.first_stage.most_rounds(places) if places is not None else None
        most = MAX_ROUNDS if possible is None else max(1, min(MAX_ROUNDS, possible))
        why = (
            ""
            if most == MAX_ROUNDS
            else f": with {event.capacity} places everybody has met by then"
        )
        yield from _within("rounds", event.rounds, 1, most, f"rounds{why}")
    yield from _within("cycles", event.cycles, 1, MAX_CYCLES, "times")
    if event.second_stage:
        yield from _qualifiers(event)


def _place(event: Event) -> Iterator[Problem]:
    if event.place == Event.Place.ONLINE:
        return
    if event.first_stage.duplicate:
        yield "place", "In a duplicate event the site deals the same cards to all tables: online."
    if event.place == Event.Place.ROOM and event.sit_out == Event.SitOut.HOUSE:
        yield "sit_out", "House players cannot sit at a table in the room; choose another way."
    if event.place == Event.Place.MIXED and event.room_from is None:
        yield "room_from", f"Say which table is the first in the room: 1 to {MAX_ENTRIES}."
    yield from _within("room_from", event.room_from, 1, MAX_ENTRIES, "is the first table")


def _qualifiers(event: Event) -> Iterator[Problem]:
    count = event.qualifiers
    partners = event.individual
    if count is None:
        yield "qualifiers", "Say how many go on to the knock-out."
    elif partners and (count < 4 or count % 2):
        yield "qualifiers", "Players are paired for the knock-out: an even number, 4 or more."
    elif count < 2:
        yield "qualifiers", "A knock-out needs 2 or more."
    elif count > _given(event, "capacity", count):
        yield "qualifiers", f"No more than there are places: 2 to {event.capacity}."


def _match(event: Event) -> Iterator[Problem]:
    for kind, hands in (("match", "deals"), ("final_match", "final_deals")):
        if getattr(event, kind) == Event.Match.DEALS and getattr(event, hands) is None:
            yield hands, f"Say how many hands a match has: 1 to {MAX_HANDS}."
        yield from _within(hands, getattr(event, hands), 1, MAX_HANDS, "hands")


def _rated(event: Event) -> Iterator[Problem]:
    """Check that matches are long enough to be rated, unless the event has started."""
    least: int = settings.RATING_LEAST_HANDS
    kinds = [(event.match, event.deals)]
    if event.final_match:
        kinds.append((event.final_match, event.final_deals))
    set_to = [
        match_length(event, match, deals)
        for match, deals in kinds
        if event.rules_data and not (match == Event.Match.DEALS and deals is None)
    ]
    if event.rated and event.started is None and min(set_to, default=least) < least:
        yield (
            "rated",
            (
                f"A rated match has at least {least} hands, or is played to at least {least}"
                " points; to more where a hand is worth more than usual."
            ),
        )


def _tie_breaks(event: Event) -> Iterator[Problem]:
    unusable = {TieBreak.LOT} if event.first_stage.duplicate else {TieBreak.LOT, *OF_DUPLICATE}
    usable = [str(one) for one in TieBreak if one not in unusable]
    stated = event.tie_breaks
    if any(one not in usable for one in stated):
        yield "tie_breaks", f"Each is one of: {', '.join(usable)}."
    elif len(set(stated)) < len(stated):
        yield "tie_breaks", "Name each only once."


def _entries(event: Event) -> Iterator[Problem]:
    most, least = event.first_stage.most_entries, event.first_stage.least_entries
    yield from _within("capacity", event.capacity, least, most, "entries in this format")
    minimum = _given(event, "minimum", least)
    places = _given(event, "capacity", minimum)
    if least <= places and not least <= minimum <= places:
        yield "minimum", f"{least} to {event.capacity}: no more than there are places."


def _conditions(event: Event) -> Iterator[Problem]:
    low, high = event.min_rating, event.max_rating
    yield from _within("min_rating", low, 0, HIGHEST_RATING, "")
    yield from _within("max_rating", high, 0, HIGHEST_RATING, "")
    if low is not None and high is not None and low > high:
        yield "max_rating", f"It cannot be below the lowest, {low}."
    yield from _within("min_games", event.min_games, 0, 1000, "games")


def _times(event: Event) -> Iterator[Problem]:
    opens, closes = _given(event, "registration_opens"), _given(event, "registration_closes")
    starts = _given(event, "starts")
    if closes and starts and closes > starts:
        yield "registration_closes", "Registration closes when the event starts, or before."
    if opens and closes and opens >= closes:
        yield "registration_opens", "Registration opens before it closes."


def _pace(event: Event) -> Iterator[Problem]:
    yield from _within("check_in_minutes", event.check_in_minutes, 0, 120, "minutes")
    yield from _within("round_minutes", event.round_minutes, 1, LONGEST_ROUND, "minutes")
    yield from _within("break_seconds", event.break_seconds, 0, LONGEST_BREAK, "seconds")
    yield from _within("turn_seconds", event.turn_seconds, *TURN, "seconds")
    yield from _within("no_show_minutes", event.no_show_minutes, 1, LONGEST_WAIT, "minutes")


def _money(event: Event) -> Iterator[Problem]:
    if event.entry_money and event.currency not in prize_money.CURRENCIES:
        yield "currency", "Choose the currency of the entry money."
    elif event.entry_money and event.rules_data:
        yield from prize_money.problems(event.terms, event.currency, counts_lone=event.rules.alone)


def _given(event: Event, field: str, otherwise: Any = None) -> Any:
    value = getattr(event, field)
    return otherwise if value is None else value


def _within(field: str, value: int | None, least: int, most: int, what: str) -> Iterator[Problem]:
    if value is not None and not least <= value <= most:
        yield field, f"{least} to {most} {what}".strip() + "."
