"""What has been said at a table lately, as a process keeps it, and what one person hears of it.

A room is read from rows as a whole and never changed. Whoever it does not know hears nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db.models import F, Q
from django.utils import timezone

from games.models import Mute, Player, Sanction, Seat, TalkLine, Trace
from games.people.names import called
from games.talk.pace import PHRASE_REST
from games.talk.phrases import phrase_in_words

Channel = TalkLine.Channel
#: The most lines of each channel on a page, and how far back they go.
LINES: Final = 30
LOOKS_BACK: Final = timedelta(hours=12)
#: How long a warning is shown at tables.
WARNED_FOR: Final = timedelta(days=1)
#: How long a phrase is shown at the speaker's plate.
SHOWN_FOR: Final = timedelta(seconds=PHRASE_REST)


class Spoken(NamedTuple):
    number: int
    channel: str
    player_id: int
    name: str
    phrase: int | None
    words: str
    at: datetime

    @property
    def text(self) -> str:
        return self.words if self.phrase is None else phrase_in_words(self.phrase)


class Heard(NamedTuple):
    """What one viewer hears: the rows of the talk, and phrases by seat that were just said."""

    rows: tuple[dict[str, Any], ...] = ()
    spoken: tuple[str, ...] = ("", "", "", "")


NOTHING: Final = Heard()


class Room:
    """The lines of a table.

    known: the players for whom it was read. watching: those of them who may read and say what is
    said among those who watch. accounts: those who have one. muted: who hears
    nothing of whom, as pairs. sanctions: one that stands for each of them.
    """

    def __init__(
        self,
        lines: Collection[Spoken],
        known: Collection[int],
        *,
        watching: Collection[int],
        accounts: Collection[int],
        muted: Collection[tuple[int, int]],
        sanctions: Collection[Sanction],
    ) -> None:
        self.lines = tuple(lines)
        self.known = frozenset(known)
        self.watching = frozenset(watching)
        self.accounts = frozenset(accounts)
        self.muted = frozenset(muted)
        self._sanctions = {one.player_id: one for one in sanctions}
        ends = [one.at + SHOWN_FOR for one in self.lines if one.phrase is not None]
        ends += [one.until or one.made + WARNED_FOR for one in sanctions]
        #: After this Unix time it is heard alike until it is read again.
        self.settles = max((one.timestamp() for one in ends), default=0.0)
        self.last = max((one.number for one in self.lines), default=0)
        self._rows: dict[tuple[int | None, bool, bool], tuple[dict[str, Any], ...]] = {}

    def heard(
        self, player_id: int | None, seats: Collection[int | None], *, later: bool = False
    ) -> Heard:
        """Return what a player, or a visitor without one (None), hears.

        seats: the players of the table by seat. later: the viewer sees the game later, so hears
        nothing of what its players say now.
        """
        seated = player_id is not None and player_id in seats
        if player_id is not None and player_id not in self.known:
            return NOTHING
        mine = (player_id, seated, later)
        rows = self._rows.get(mine)
        if rows is None:
            rows = self._rows[mine] = tuple(self._drawn(player_id, seated=seated, later=later))
        spoken = NOTHING.spoken if later else self._at_plates(player_id, seats)
        return Heard(rows, spoken)

    def sanction_of(self, player_id: int | None, now: datetime) -> Sanction | None:
        """Return the silence of a player that lasts, or the warning of the last day."""
        found = self._sanctions.get(player_id or 0)
        if found is None:
            return None
        until = found.until or found.made + WARNED_FOR
        return found if until > now else None

    def next_change(self, now: datetime) -> datetime | None:
        """Return when the next phrase leaves its plate, or the next silence ends."""
        said = [one.at + SHOWN_FOR for one in self.lines if one.phrase is not None]
        said += [one.until for one in self._sanctions.values() if one.until is not None]
        return min((moment for moment in said if moment > now), default=None)

    def _heard_by(self, player_id: int | None, *, seated: bool, later: bool) -> Iterable[Spoken]:
        """Yield the lines that a viewer may read.

        Players never read what is said among those who watch. Those who watch see the phrases of
        the players, as at a real table, but not their words.
        """
        for one in self.lines:
            if one.channel == Channel.PLAYERS:
                if seated or (one.phrase is not None and not later):
                    yield one
            elif not seated and player_id in self.watching:
                yield one

    def _drawn(
        self, player_id: int | None, *, seated: bool, later: bool
    ) -> Iterable[dict[str, Any]]:
        heard = list(self._heard_by(player_id, seated=seated, later=later))
        may_act = player_id is not None
        muted: set[int] = set()
        for one in heard[-LINES:]:
            if (player_id, one.player_id) not in self.muted:
                mine = one.player_id == player_id
                yield _row(one, mine=mine, may_act=may_act and not mine)
            elif one.player_id not in muted:  # in the place of the first of their lines
                muted.add(one.player_id)
                yield _row_of_muted(one)

    def _at_plates(self, player_id: int | None, seats: Collection[int | None]) -> tuple[str, ...]:
        if not self.lines:
            return NOTHING.spoken
        now = timezone.now()
        said = {
            one.player_id: one.text
            for one in self.lines
            if one.phrase is not None
            and one.channel == Channel.PLAYERS
            and now < one.at + SHOWN_FOR
            and (player_id, one.player_id) not in self.muted
        }
        spoken = [said.get(who, "") if who is not None else "" for who in seats]
        return tuple(spoken + [""] * (4 - len(spoken)))


def _row_of_muted(one: Spoken) -> dict[str, Any]:
    """Return what stands in the place of a muted person's lines, without a word of them."""
    name = called(one.name)
    return {
        "as": "talk_muted",
        "key": f"muted-{one.player_id}",
        "text": f"You muted {name}.",
        "name": name,
        "player": one.player_id,
    }


def _row(one: Spoken, *, mine: bool, may_act: bool) -> dict[str, Any]:
    kinds = ("phrase" * (one.phrase is not None), "mine" * mine)
    return {
        "key": f"line-{one.number}",
        "class": " ".join(filter(None, kinds)) or None,
        "initials": "".join(word[0] for word in one.name.split()[:2]).upper(),
        "name": "You" if mine else called(one.name),
        "at": one.at.isoformat(timespec="seconds"),
        "time": f"{timezone.localtime(one.at):%H:%M}",
        "words": one.text,
        "line": one.number if may_act else None,
    }


def read(wanted: Collection[tuple[int, frozenset[int]]]) -> dict[tuple[int, frozenset[int]], Room]:
    """Read the rooms of some tables, each for the players who ask."""
    tables = {table for table, _players in wanted}
    players = frozenset().union(*(players for _table, players in wanted))
    lines = _lines(tables)
    accounts = frozenset(
        Player.objects.filter(pk__in=players, user__isnull=False).values_list("pk", flat=True)
    )
    watching = _watching(tables, accounts)
    speakers = {one.player_id for table in tables for one in lines[table]}
    mutes = Mute.objects.filter(by__in=players, other__in=speakers)
    muted = frozenset(mutes.values_list("by_id", "other_id")) if speakers else frozenset()
    now = timezone.now()
    standing = Q(until__gt=now) | Q(until=None, made__gt=now - WARNED_FOR)
    # The longest silence last, which is the one that counts.
    sanctions = list(
        Sanction.objects.filter(standing, player__in=players, lifted=None).order_by(
            F("until").asc(nulls_first=True)
        )
    )
    return {
        (table, asking): Room(
            lines[table],
            asking,
            watching=asking & watching[table],
            accounts=asking & accounts,
            muted=muted,
            sanctions=sanctions,
        )
        for table, asking in wanted
    }


def _lines(tables: Collection[int]) -> Mapping[int, list[Spoken]]:
    found: defaultdict[int, list[Spoken]] = defaultdict(list)
    since = timezone.now() - LOOKS_BACK
    rows = TalkLine.objects.filter(table__in=tables, at__gt=since).order_by("-pk")
    columns = ("table", "pk", "channel", "player", "player__name", "phrase", "words", "at")
    for table, *spoken in rows.values_list(*columns)[: 8 * LINES * len(tables)]:
        found[table].insert(0, Spoken(*spoken))
    return found


def _watching(tables: Collection[int], accounts: frozenset[int]) -> Mapping[int, frozenset[int]]:
    """Return, by table, who may read what is said among those who watch.

    These are people with accounts who do not play there, nor count as the same person as somebody
    who does (see `games.people.traces`): the same account, browser or, of guests, address.
    """
    if not accounts:
        return dict.fromkeys(tables, frozenset())
    playing: defaultdict[int, set[int]] = defaultdict(set)
    seats = Seat.objects.filter(table__in=tables, player__isnull=False).exclude(
        player__kind=Player.Kind.HOUSE
    )
    for table, who, owner in seats.values_list("table", "player", "player__owner"):
        playing[table] |= {who, owner or who}
    nobody = seats.filter(player__kind=Player.Kind.PERSON, player__user=None)
    guests = set(nobody.values_list("player_id", flat=True))
    same = _same(tables, accounts, playing, guests)
    return {table: accounts - playing[table] - same[table] for table in tables}


def _same(
    tables: Collection[int],
    accounts: Collection[int],
    playing: Mapping[int, Collection[int]],
    guests: Collection[int],
) -> Mapping[int, set[int]]:
    at: defaultdict[tuple[int, str, str], set[int]] = defaultdict(set)
    here = Trace.objects.filter(table__in=tables)
    of_session = Q(kind=Trace.Kind.SESSION) & (
        Q(player__in=accounts) | Q(player__seats__table__in=tables)
    )
    of_address = Q(kind=Trace.Kind.ADDRESS) & (Q(player__in=accounts) | Q(player__in=guests))
    for table, kind, who, digest in here.filter(of_session | of_address).values_list(
        "table", "kind", "player", "digest"
    ):
        at[table, kind, digest].add(who)
    same: defaultdict[int, set[int]] = defaultdict(set)
    for (table, kind, _digest), people in at.items():
        sitting = people & set(playing[table])
        # Among those asking are accounts that play: their address says nothing.
        if sitting & set(guests) if kind == Trace.Kind.ADDRESS else sitting:
            same[table] |= people
    return same
