"""Reports of what was said at tables: the moderators' queue and decisions.

Moderators are the staff of the site. All open reports on one player at one table are a case.
Whoever opens a case has it alone for `CLAIM`, so that two do not decide the same; nobody judges
what was said in a game of their own, in which they spoke or by which they are concerned.

Every function that changes something raises RefusedError if it may not be done, and changes nothing
then. It locks the reports of the case by key, then the account.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from euchre_site.accounts.accounts import user_display
from euchre_site.office import account_actions
from euchre_site.office.actions import What, check_may, check_not_undone, record, subject_of
from games.models import (
    GameSeat,
    Mute,
    OperatorAct,
    Player,
    Sanction,
    Seat,
    TalkReport,
    User,
)
from games.models.office import TITLE_LENGTH
from games.talk import speaking
from games.talk.phrases import phrase_in_words
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

#: How long a case is kept for whoever opened it.
CLAIM: Final = timedelta(minutes=10)
DISMISS, WARN, DAY, WEEK, BAN = "dismiss", "warn", "day", "week", "ban"
SILENCES: Final = {DAY: timedelta(days=1), WEEK: timedelta(days=7)}
#: How long a warning or silence counts for what is suggested.
COUNTED_FOR: Final = timedelta(days=365)
GONE: Final = "Somebody who has left"
INVOLVED: Final = "You played in this game or are involved: let another moderator decide."


@dataclass(frozen=True)
class Case:
    """The open reports on one player at one table, the oldest first.

    mine: the viewer has it; held: somebody else does, until then. involved: the viewer may not
    judge it.
    """

    reports: Sequence[TalkReport]
    involved: bool
    mine: bool
    held_by: str

    @property
    def first(self) -> TalkReport:
        return self.reports[0]

    @property
    def name(self) -> str:
        return self.first.player.name if self.first.player else GONE

    @property
    def reporters(self) -> str:
        name = self.first.reporter.name if self.first.reporter else GONE
        known = {one.reporter_id for one in self.reports if one.reporter_id is not None}
        gone = sum(one.reporter_id is None for one in self.reports)
        more = len(known) + gone - 1
        return f"{name} and {more} more" if more else name

    @property
    def reasons(self) -> str:
        return ", ".join(dict.fromkeys(one.get_reason_display() for one in self.reports))

    @property
    def waits_for_second(self) -> bool:
        return self.first.proposed_by_id is not None


@dataclass(frozen=True)
class TranscriptLine:
    name: str
    words: str
    phrase: bool
    at: datetime
    reported: bool


@dataclass(frozen=True)
class AboutPlayer:
    """What is known of somebody: games played, earlier sanctions, and who has muted them lately."""

    since: datetime
    games: int
    sanctions: Sequence[Sanction]
    muted_by: int


class Suggestion(NamedTuple):
    """The decision that is one step beyond what was done before, and why it is."""

    decision: str
    why: str


# The queue ------------------------------------------------------------------------------------


def cases(moderator: User, now: datetime) -> list[Case]:
    """Return the open cases, the one that has waited longest first."""
    rows = TalkReport.objects.filter(decided=None).select_related(
        "player__user", "reporter", "table", "game", "claimed_by__player"
    )
    grouped: dict[tuple[int | None, int | None], list[TalkReport]] = {}
    for row in rows.order_by("made", "pk"):
        grouped.setdefault((row.player_id, row.table_id), []).append(row)
    return [_case(moderator, found, now) for found in grouped.values()]


def case_of(moderator: User, report: TalkReport, now: datetime) -> Case:
    """Return the case of a report; raise RefusedError ``decided`` if it is closed."""
    rows = list(_same(report).select_related(
        "player__user", "reporter", "table", "game", "claimed_by__player"
    ))  # fmt: skip
    if not rows:
        raise _decided()
    return _case(moderator, rows, now)


def _same(report: TalkReport) -> QuerySet[TalkReport]:
    same = TalkReport.objects.filter(player=report.player_id, table=report.table_id, decided=None)
    return same.order_by("pk")


def _case(moderator: User, rows: Sequence[TalkReport], now: datetime) -> Case:
    held = next((one for one in rows if one.claimed_until and one.claimed_until > now), None)
    mine = held is not None and held.claimed_by_id == moderator.pk
    by = user_display(held.claimed_by) if held and held.claimed_by and not mine else ""
    return Case(rows, _concerned(moderator, rows), mine, by)


def _concerned(moderator: User, rows: Collection[TalkReport]) -> bool:
    mine = set(
        Player.objects.filter(Q(user=moderator) | Q(owner__user=moderator)).values_list(
            "pk", flat=True
        )
    )
    if not mine:
        return False
    there = {one.player_id for one in rows} | {one.reporter_id for one in rows}
    there |= {line.get("player") for one in rows for line in one.lines}
    if mine & there:
        return True
    games = {one.game_id for one in rows if one.game_id is not None}
    tables = {one.table_id for one in rows if one.table_id is not None}
    return (
        GameSeat.objects.filter(game__in=games, player__in=mine).exists()
        or Seat.objects.filter(table__in=tables, player__in=mine).exists()
    )


def transcript(case: Case) -> list[TranscriptLine]:
    """Return what was said, with all reported lines of the case, in order."""
    reported = {one.line for one in case.reports}
    lines = {line["line"]: line for one in case.reports for line in one.lines}
    names = dict(
        Player.objects.filter(pk__in={one.get("player") for one in lines.values()}).values_list(
            "pk", "name"
        )
    )
    return [
        TranscriptLine(
            names.get(one["player"], GONE),
            one["words"] if one["phrase"] is None else phrase_in_words(one["phrase"]),
            one["phrase"] is not None,
            datetime.fromisoformat(one["at"]),
            number in reported,
        )
        for number, one in sorted(lines.items())
    ]


def about(player: Player, now: datetime) -> AboutPlayer:
    return AboutPlayer(
        player.created,
        GameSeat.objects.filter(player=player).count(),
        list(player.sanctions.filter(lifted=None).order_by("-made")[:10]),
        Mute.objects.filter(other=player, since__gt=now - timedelta(days=30)).count(),
    )


# Claims ---------------------------------------------------------------------------------------


@transaction.atomic
def claim(moderator: User, report: TalkReport, now: datetime) -> Case:
    """Keep a case for a moderator for `CLAIM`; opening it again prolongs that.

    Raises RefusedError: ``decided``, ``involved``, ``second`` for whoever proposed a ban, or
    ``claimed`` by somebody else.
    """
    rows = _locked(report)
    _check_not_involved(moderator, rows)
    _check_is_second(moderator, rows)
    _check_not_held(moderator, rows, now)
    _same(report).update(claimed_by=moderator, claimed_until=now + CLAIM)
    return case_of(moderator, report, now)


@transaction.atomic
def release(moderator: User, report: TalkReport) -> None:
    """Leave a case to another moderator; harmless if it is not theirs."""
    _same(report).filter(claimed_by=moderator).update(claimed_by=None, claimed_until=None)


def _locked(report: TalkReport) -> list[TalkReport]:
    rows = list(_same(report).select_for_update())
    if not rows:
        raise _decided()
    return rows


def _decided() -> RefusedError:
    return RefusedError("decided", "Someone else has already decided this.")


def _check_not_involved(moderator: User, rows: Collection[TalkReport]) -> None:
    if _concerned(moderator, rows):
        raise RefusedError("involved", INVOLVED, 403)


def _check_is_second(moderator: User, rows: Iterable[TalkReport]) -> None:
    if any(one.proposed_by_id == moderator.pk for one in rows):
        raise RefusedError("second", "You proposed a ban: a second moderator decides.", 403)


def _check_not_held(moderator: User, rows: Iterable[TalkReport], now: datetime) -> None:
    for one in rows:
        other = one.claimed_by_id is not None and one.claimed_by_id != moderator.pk
        if other and one.claimed_until is not None and one.claimed_until > now:
            until = timezone.localtime(one.claimed_until)
            raise RefusedError("claimed", f"Another moderator has opened this until {until:%H:%M}.")


# Decisions ------------------------------------------------------------------------------------


def decisions_for(case: Case) -> list[tuple[str, str, str]]:
    """Return the possible decisions: key, name and consequence."""
    found = [(DISMISS, "Dismiss", "Nothing happens")]
    player = case.first.player
    if player is None or player.former:
        return found
    found += [
        (WARN, "Warn", f"{player.name} is told why"),
        (DAY, "Silence, 1 day", "Plays on, with set phrases only"),
        (WEEK, "Silence, 7 days", "Plays on, with set phrases only"),
    ]
    if player.user is not None:
        second = (
            "You are the second moderator"
            if case.waits_for_second
            else ("Needs a second moderator")
        )
        found.append((BAN, "Ban", second))
    return found


def suggestion_for(case: Case) -> Suggestion | None:
    """Suggest a warning, then a day of silence, then seven, then a ban; None if there is no choice.

    Only what was done in the year before the reported words counts, and was not taken back: whoever
    had not been warned yet could not heed it.
    """
    offered = {key for key, _name, _what in decisions_for(case)}
    player, said = case.first.player, _last_said(case)
    if player is None or WARN not in offered:
        return None
    before = player.sanctions.filter(lifted=None, made__lt=said, made__gt=said - COUNTED_FOR)
    done = list(before.order_by("-made"))
    silences = [one for one in done if one.until is not None]
    if not done:
        return Suggestion(WARN, "no warning or silence in the year before")
    last = f"on {timezone.localtime((silences or done)[0].made):%-d %B %Y}"
    if not silences:
        return Suggestion(DAY, f"warned {last}")
    if len(silences) == 1:
        return Suggestion(WEEK, f"silenced {last}")
    if BAN not in offered:
        return Suggestion(WEEK, f"silenced before, last {last}; a guest has no account to close")
    return Suggestion(BAN, f"silenced before, last {last}")


def _last_said(case: Case) -> datetime:
    times = [
        datetime.fromisoformat(line["at"])
        for one in case.reports
        for line in one.lines
        if line["line"] == one.line
    ]
    return max(times, default=case.first.made)  # the words are deleted after a while


@transaction.atomic
def decide(
    moderator: User, report: TalkReport, decision: str, reason: str, now: datetime
) -> OperatorAct:
    """Decide a case; the first moderator who chooses `BAN` proposes it, another one does it.

    Raises RefusedError: ``decided``, ``involved``, ``claimed``, ``decision``, ``reason``,
    ``second``, or as the closing of an account.
    """
    rows = _locked(report)
    _check_not_involved(moderator, rows)
    _check_is_second(moderator, rows)
    _check_not_held(moderator, rows, now)
    case = case_of(moderator, report, now)
    if not case.mine:
        raise RefusedError("claimed", "Open it first; it is kept for you for ten minutes.")
    if decision not in [key for key, _name, _what in decisions_for(case)]:
        raise RefusedError("decision", "This is not possible here.", 422)
    player = case.first.player
    if decision == DISMISS or player is None:
        act = _record(moderator, What.DECIDE_REPORT, case, reason)
        return _close(case, act, now)
    reason = account_actions.checked_reason(reason)
    check_may(moderator, player.user)
    if decision == BAN:
        return _ban(moderator, case, player, reason, now)
    until = now + SILENCES[decision] if decision in SILENCES else None
    sanction = Sanction.objects.create(
        player=player,
        made=now,
        until=until,
        reason=reason,
        by_id=moderator.pk,
        by_name=user_display(moderator)[:TITLE_LENGTH],
    )
    what = What.WARN if until is None else What.SILENCE
    act = _record(moderator, what, case, reason, sanction=sanction.pk)
    _tell(player, sanction)
    return _close(case, act, now)


def _ban(moderator: User, case: Case, player: Player, reason: str, now: datetime) -> OperatorAct:
    if case.first.proposed_by_id is None:
        act = _record(moderator, What.PROPOSE_BAN, case, reason)
        _same(case.first).update(
            proposed_by=moderator, proposed_reason=reason, claimed_by=None, claimed_until=None
        )
        return act
    if player.user is None:
        raise RefusedError("decision", "This player has no account to close.", 422)
    act = account_actions.ban(moderator, player.user, reason, None, now)
    second = _record(moderator, What.DECIDE_REPORT, case, reason, ban=act.detail["ban"])
    return _close(case, second, now)


def _record(moderator: User, what: str, case: Case, reason: str, **detail: Any) -> OperatorAct:
    player = case.first.player
    if player is None:
        raise RefusedError("gone", "This player no longer exists.", 404)
    numbers = [one.pk for one in case.reports]
    return record(moderator, what, subject_of(player), reason, talk=numbers, **detail)


def _close(case: Case, act: OperatorAct, now: datetime) -> OperatorAct:
    decided = TalkReport.objects.filter(pk__in=[one.pk for one in case.reports])
    decided.update(decided=now, claimed_by=None, claimed_until=None, proposed_by=None)
    first = {one.reporter_id: one for one in reversed(case.reports)}
    for one in first.values():  # a letter for each reporter
        if one.reporter is not None:
            letters.write(
                f"talk report {one.pk} decided {act.pk}", [one.reporter],
                "Your report has been reviewed", "talk_report_decided", made=one.made,
            )  # fmt: skip
    return act


def _tell(player: Player, sanction: Sanction) -> None:
    letters.write(
        f"sanction {sanction.pk}", [player], "A message from the moderators", "talk_sanction",
        words=sanction.in_words(),
    )  # fmt: skip
    transaction.on_commit(partial(speaking.announce_freedom, player.pk))


# The record -----------------------------------------------------------------------------------


def is_of_talk(act: OperatorAct) -> bool:
    return bool(act.detail.get("talk"))


def acts() -> QuerySet[OperatorAct]:
    """Return what moderators did about talk, the latest first."""
    of_talk = Q(detail__has_key="talk") | Q(undoes__detail__has_key="talk")
    return OperatorAct.objects.filter(of_talk).select_related("undone_by")


@transaction.atomic
def take_back(moderator: User, act: OperatorAct, reason: str, now: datetime) -> OperatorAct:
    """Undo a decision: a silence ends, a dismissed case opens again, a proposal falls.

    Raises RefusedError: ``undone``, ``involved``, or ``reason``.
    """
    reason = account_actions.checked_reason(reason)
    check_not_undone(act)
    reports = TalkReport.objects.filter(pk__in=act.detail["talk"])
    _check_not_involved(moderator, list(reports))
    player = Player.objects.filter(pk=act.about_id or 0).first()
    if player is None:
        raise RefusedError("gone", "This player no longer exists.", 404)
    try:
        with transaction.atomic():
            undone = record(moderator, What.TAKE_BACK, subject_of(player), reason, undoes=act)
    except IntegrityError as error:  # at the same moment
        raise RefusedError("undone", "This has been undone already.") from error
    if "sanction" in act.detail:
        sanction = Sanction.objects.filter(pk=act.detail["sanction"], lifted=None).first()
        if sanction is not None:
            Sanction.objects.filter(pk=sanction.pk).update(lifted=now)
            letters.delete_unsent(f"sanction {sanction.pk}")
            letters.write(
                f"sanction {sanction.pk} lifted", [player], "A message from the moderators",
                "talk_sanction_lifted", words=reason,
            )  # fmt: skip
            transaction.on_commit(partial(speaking.announce_freedom, player.pk))
    elif act.what == What.PROPOSE_BAN:
        reports.filter(decided=None).update(proposed_by=None, proposed_reason="")
    else:
        reports.update(decided=None)
    return undone
