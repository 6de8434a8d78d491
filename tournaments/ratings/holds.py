"""Finds suspicious matches and quick games, which wait for a moderator before they are rated.

They may be perfectly honest: four friends who meet every night, a fast table, a family at home. The
checks look for traces of farming ratings with several accounts. Their thresholds are settings; 0
disables a check. An event or a quick game is checked when it is about to be rated, and the holds
are stored, so that recomputed ratings are the same.

A quick game is checked like a match, among quick games: ratings of one do not move the other's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Final, NamedTuple, cast
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models import Max, QuerySet
from django.db.models.functions import Coalesce

from games.models import Game, GameSeat, SeenFrom
from tournaments.models import (
    EntryPlayer,
    Event,
    Pairing,
    PairingEntry,
    RatingHold,
    ScoreLine,
    Substitution,
)
from tournaments.models.events import USUAL_POINTS
from tournaments.ratings import units
from tournaments.results.matches import match_kind

log = structlog.get_logger(__name__)

#: The period in which matches are counted.
LOOKED_BACK: Final = timedelta(days=30)
HOUR: Final = timedelta(hours=1)
#: Matches with too few hands that a player may have before their share is checked.
MAX_SHORT: Final = 5
#: When a match ended; an undecided one when its event was cancelled.
ENDED: Final = Coalesce("decided", "round__event__ended")

Reason = RatingHold.Reason


class MatchToRate(NamedTuple):
    """A rated match that is over, or a quick game (then `pk` is a UUID).

    `table` is the key of its table, None in the room, where `first` are the players of side 0.
    """

    pk: int | UUID
    table: int | None
    ended: datetime
    players: frozenset[int]
    first: frozenset[int] = frozenset()


def hold_suspicious(event_id: int) -> int:
    """Put suspicious matches of an event on hold; return how many are new. Safe to repeat."""
    held = RatingHold.objects.filter(pairing__round__event=event_id)
    known = set(held.values_list("pairing", flat=True))
    matches = [
        match
        for match in _read(Pairing.objects.filter(round__event=event_id))
        if match.pk not in known
    ]
    if not matches:
        return 0
    recent = _recent_matches(matches)
    club_is_known = Event.objects.values_list("club__recognised", flat=True).get(pk=event_id)
    holds = _holds("pairing_id", _suspicious(matches, recent, known=club_is_known))
    RatingHold.objects.bulk_create(holds, ignore_conflicts=True)
    if holds:
        log.info("ratings wait for a moderator", of_event=event_id, matches=len(holds))
    return len(holds)


def hold_suspicious_games(games: Collection[UUID]) -> int:
    """Put suspicious quick games on hold; return how many are new. Safe to repeat."""
    known = set(RatingHold.objects.filter(game__in=games).values_list("game", flat=True))
    new = Game.objects.filter(pk__in=set(games) - known)
    units.note_performances(new)
    matches = _read_games(new)
    if not matches:
        return 0
    holds = _holds("game_id", _suspicious(matches, _recent_games(matches), known=False))
    RatingHold.objects.bulk_create(holds, ignore_conflicts=True)
    if holds:
        log.info("ratings wait for a moderator", quick_games=len(holds))
    return len(holds)


def _holds(of: str, found: dict[int | UUID, tuple[Reason, str]]) -> list[RatingHold]:
    return [
        RatingHold(**{of: key}, reason=reason, found=words)
        for key, (reason, words) in found.items()
    ]


def _suspicious(
    matches: Sequence[MatchToRate], recent: _RecentMatches, *, known: bool
) -> dict[int | UUID, tuple[Reason, str]]:
    """Return why matches are suspicious; `known`: they are of a recognised club."""
    fast = _fast(matches) | _fast_in_room(matches)
    every = {}
    for match in matches:
        found = (
            fast.get(match.pk)
            or recent.check_rate(match)
            or recent.check_short(match)
            or recent.check_few_opponents(match)
            or (None if known else recent.check_circle(match) or recent.check_one_address(match))
        )
        if found:
            every[match.pk] = found
    return every


def _read(pairings: QuerySet[Pairing]) -> list[MatchToRate]:
    # Keys first: in one query this is a join of seven tables, which takes minutes on a server with
    # outdated statistics.
    rows = pairings.filter(rated=True).annotate(ended=ENDED)
    over = {
        pk: (ended, table)
        for pk, ended, table in rows.values_list("pk", "ended", "table")
        if ended is not None
    }
    players: dict[int, set[int]] = defaultdict(set)
    first: dict[int, set[int]] = defaultdict(set)
    lines = PairingEntry.objects.filter(pairing__in=over).order_by()
    seated = lines.values_list(
        *("pairing", "side", "round__number", "entry"),
        *("entry__players__position", "entry__players__player"),
    )
    left = units.seats_left(Substitution.objects.filter(entry__in=lines.values("entry")))
    for pk, side, number, entry, position, now_there in seated:
        player = units.sat_there(left, (entry, position), number, now_there)
        players[pk].add(player)
        if side == 0:
            first[pk].add(player)
    return [
        MatchToRate(pk, table, ended, frozenset(players[pk]), frozenset(first[pk]))
        for pk, (ended, table) in sorted(over.items(), key=lambda one: (one[1][0], one[0]))
    ]


def _read_games(games: QuerySet[Game]) -> list[MatchToRate]:
    rated = games.filter(table__rated=True, state=Game.State.OVER, ended__isnull=False)
    rows = list(rated.order_by("ended", "pk").values_list("pk", "table", "ended"))
    players: dict[UUID, set[int]] = defaultdict(set)
    seats = GameSeat.objects.filter(game__in=[pk for pk, _, _ in rows])
    for pk, player in seats.values_list("game", "player"):
        players[pk].add(player)
    return [
        MatchToRate(pk, table, ended, frozenset(players[pk]))
        for pk, table, ended in rows
        if ended is not None
    ]


def _fast(matches: Sequence[MatchToRate]) -> dict[int | UUID, tuple[Reason, str]]:
    """Find matches with a game faster than people can play."""
    least: int = settings.RATING_HAND_SECONDS
    if not least:
        return {}
    at = _by_table(matches)
    games = Game.objects.filter(table__in=at, ended__isnull=False, noted=True)
    found = {}
    for table, started, ended, hands in games.values_list("table", "started", "ended", "stood_in"):
        if ended is None:
            continue
        seconds = (ended - started).total_seconds()
        if hands and seconds < least * len(hands):
            words = f"{len(hands)} hands in {max(0, round(seconds))} seconds"
            found[at[table]] = Reason.FAST, words
    return found


def _fast_in_room(matches: Sequence[MatchToRate]) -> dict[int | UUID, tuple[Reason, str]]:
    """Find matches with real cards whose score was in sooner than they can be played."""
    least: int = settings.RATING_ROOM_HAND_SECONDS
    rows = Pairing.objects.filter(
        pk__in=[match.pk for match in matches if match.table is None],
        round__drawn__isnull=False,
        decided__isnull=False,
    )
    found: dict[int | UUID, tuple[Reason, str]] = {}
    for match in rows.select_related("round__event") if least else ():
        hands = _fewest_hands(match)
        drawn, decided = cast("datetime", match.round.drawn), cast("datetime", match.decided)
        seconds = (decided - drawn).total_seconds()
        if seconds < least * hands:
            words = f"{hands} hands with real cards in {max(0, round(seconds))} seconds"
            found[match.pk] = Reason.FAST, words
    return found


def _fewest_hands(match: Pairing) -> int:
    """Return how many hands a match in the room has had at least, by its score."""
    event = match.round.event
    kind, deals = match_kind(event, match)
    if kind == Event.Match.DEALS and match.how == Pairing.How.PLAYED:
        return deals or 1
    best = max(
        getattr(event.rules, points)
        for points in USUAL_POINTS
        if event.rules.alone or not points.startswith("alone")
    )
    return sum(-(-points // best) for score in match.scores for points in score)


class _RecentMatches:
    """The recent matches of the players of some matches."""

    def __init__(self, every: Sequence[MatchToRate], who: str, players: Collection[int]) -> None:
        """Sort them by players. who: the path from a hold to the players."""
        self.of: dict[int, list[MatchToRate]] = defaultdict(list)
        for match in every:
            for player in match.players:
                self.of[player].append(match)
        # When matches of a player were last let through: earlier ones are not counted again.
        passed = RatingHold.objects.filter(
            state=RatingHold.State.PASSED, decided__isnull=False, **{f"{who}__in": players}
        )
        found = passed.order_by().values_list(who).annotate(Max("decided"))
        self.passed = {player: decided for player, decided in found if decided is not None}
        self.hands = _hands(every)
        self.together = _together(every) if settings.RATING_ADDRESS_MATCHES else {}

    def _since(self, player: int, match: MatchToRate, span: timedelta) -> Iterator[MatchToRate]:
        """Yield a player's matches in a period up to a match, after the last one let through."""
        since = match.ended - span
        passed = self.passed.get(player)
        for one in self.of[player]:
            before = one.ended <= match.ended and one.ended > since
            if before and (passed is None or one.ended > passed):
                yield one

    def check_rate(self, match: MatchToRate) -> tuple[Reason, str] | None:
        """Check for more matches in an hour than people can play."""
        most: int = settings.RATING_MATCHES_AN_HOUR
        count = max(sum(1 for _ in self._since(one, match, HOUR)) for one in match.players)
        if not most or count <= most:
            return None
        return Reason.FAST, f"{count} matches of one player in an hour"

    def check_few_opponents(self, match: MatchToRate) -> tuple[Reason, str] | None:
        """Check for many matches with and against the same few players."""
        most: int = settings.RATING_SAME_MATCHES
        for player in sorted(match.players) if most else ():
            played = list(self._since(player, match, LOOKED_BACK))
            others = frozenset().union(*(one.players for one in played)) - {player}
            if len(played) > most and len(others) <= settings.RATING_SAME_PLAYERS:
                words = f"{len(played)} matches with and against {len(others)} other"
                words += f"{'s' * (len(others) != 1)} in {LOOKED_BACK.days} days"
                return Reason.FEW, words
        return None

    def check_circle(self, match: MatchToRate) -> tuple[Reason, str] | None:
        """Check for many matches in a closed circle, whatever its size.

        Players are close if they have met more often than `check_few_opponents` allows for each; in
        a match of four, each of the three others counts a third. Only matches among close players
        count, so that meeting others as well does not hide a circle.
        """
        most: int = settings.RATING_SAME_MATCHES
        if not most or not settings.RATING_SAME_PLAYERS:
            return None
        for player in sorted(match.players):
            played = list(self._since(player, match, LOOKED_BACK))
            met: dict[int, Fraction] = defaultdict(Fraction)
            for one in played:
                for other in one.players - {player}:
                    met[other] += Fraction(1, len(one.players) - 1)
            allowed = Fraction(most, settings.RATING_SAME_PLAYERS)
            close = {other for other, times in met.items() if times > allowed} | {player}
            count = sum(one.players <= close for one in played)
            if count > most:
                words = f"{count} matches in a circle of {len(close)} players"
                return Reason.FEW, f"{words} in {LOOKED_BACK.days} days"
        return None

    def check_short(self, match: MatchToRate) -> tuple[Reason, str] | None:
        """Check for players most of whose matches have too few hands, as by resigning."""
        least: int = settings.RATING_LEAST_HANDS
        if match.table is None or self.hands.get(match.table, least) >= least:
            return None
        for player in sorted(match.players):
            played = list(self._since(player, match, LOOKED_BACK))
            count = sum(
                self.hands.get(one.table, least) < least for one in played if one.table is not None
            )
            if count > MAX_SHORT and 2 * count > len(played):
                words = f"{count} of {len(played)} matches of one player had fewer than {least}"
                return Reason.FAST, f"{words} hands"
        return None

    def check_one_address(self, match: MatchToRate) -> tuple[Reason, str] | None:
        """Check for two players with many matches from one address."""
        most: int = settings.RATING_ADDRESS_MATCHES
        suspects = {player for pair in self.together.get(match.pk, ()) for player in pair}
        quick_game = isinstance(match.pk, UUID)
        if (
            most
            and quick_game
            and len(self.together.get(match.pk, ())) == comb(len(match.players), 2)
        ):
            return Reason.ADDRESS, f"all {len(match.players)} players from one address"
        for player in sorted(suspects) if most else ():
            played = self._since(player, match, LOOKED_BACK)
            count = sum(
                any(player in pair for pair in self.together.get(one.pk, ())) for one in played
            )
            if count > most:
                return (
                    Reason.ADDRESS,
                    f"{count} matches of two players from one address in {LOOKED_BACK.days} days",
                )
        return None


def _recent_matches(matches: Sequence[MatchToRate]) -> _RecentMatches:
    """Read the recent matches of players; `matches` are in order of their ends, at least one."""
    players = frozenset().union(*(match.players for match in matches))
    sitting = EntryPlayer.objects.filter(player__in=players).values("entry")
    left = Substitution.objects.filter(player__in=players).values("entry")
    theirs = Pairing.objects.annotate(ended=ENDED).filter(
        entries__entry__in=sitting.order_by().union(left.order_by()),
        ended__range=(matches[0].ended - LOOKED_BACK, matches[-1].ended),
    )
    return _RecentMatches(_read(theirs), "pairing__entries__entry__players__player", players)


def _recent_games(matches: Sequence[MatchToRate]) -> _RecentMatches:
    """Do the same with quick games."""
    players = frozenset().union(*(match.players for match in matches))
    theirs = GameSeat.objects.filter(
        player__in=players,
        game__table__rated=True,
        game__ended__range=(matches[0].ended - LOOKED_BACK, matches[-1].ended),
    )
    games = Game.objects.filter(pk__in=theirs.values("game"))
    return _RecentMatches(_read_games(games), "game__seats__player", players)


def _by_table(matches: Sequence[MatchToRate]) -> dict[int, int | UUID]:
    """Return the matches that were played at tables on the site."""
    return {match.table: match.pk for match in matches if match.table is not None}


def _hands(matches: Sequence[MatchToRate]) -> dict[int, int]:
    """Return the number of hands played, by table."""
    games = Game.objects.filter(table__in=_by_table(matches), noted=True)
    hands: dict[int, int] = defaultdict(int)
    for table, played in games.values_list("table", "stood_in"):
        hands[table] += len(played)
    return dict(hands)


def _together(matches: Sequence[MatchToRate]) -> dict[int | UUID, set[tuple[int, int]]]:
    """Return the pairs of players who came from one address, by match.

    In the room they are opponents whose sides signed the score from one address.
    """
    at = _by_table(matches)
    there: dict[tuple[int, str], set[int]] = defaultdict(set)
    seen = SeenFrom.objects.filter(table__in=at).values_list("table", "digest", "player")
    for table, digest, player in seen:
        there[table, digest].add(player)
    found: dict[int | UUID, set[tuple[int, int]]] = defaultdict(set)
    for (table, _digest), players in there.items():
        found[at[table]].update(combinations(sorted(players), 2))
    in_room = {cast("int", match.pk): match for match in matches if match.table is None}
    signed: dict[int, dict[int, str]] = defaultdict(dict)
    lines = ScoreLine.objects.filter(pairing__in=in_room, kind=ScoreLine.Kind.SIGN)
    for pk, side, address in lines.order_by("pk").values_list("pairing", "side", "address"):
        signed[pk][side] = address
    for pk, by_side in signed.items():
        if len(by_side) == 2 and by_side[0] == by_side[1] != "":
            match = in_room[pk]
            opponents = product(match.first, match.players - match.first)
            found[pk].update((min(pair), max(pair)) for pair in opponents)
    return dict(found)
