"""Reports of what was said at tables; the open ones on one player at one table are a case.

Nobody judges what was said in a game of their own, in which they spoke or by which they are
concerned.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from euchre_site.accounts.accounts import user_display
from euchre_site.moderation.sources import Decision, EvidenceSource, ModerationCase, Moderator
from euchre_site.office import account_actions
from euchre_site.office.actions import Subject, What, check_may, subject_of
from games.models import (
    About,
    GameSeat,
    Mute,
    OperatorAct,
    Player,
    Sanction,
    Seat,
    TalkReport,
)
from games.models.office import TITLE_LENGTH
from games.talk import speaking
from games.talk.phrases import phrase_in_words
from tournaments.outbox import letters

DISMISS, WARN, DAY, WEEK, BAN = "dismiss", "warn", "day", "week", "ban"
SILENCES: Final = {DAY: timedelta(days=1), WEEK: timedelta(days=7)}
#: How long a warning or silence counts for what is suggested.
COUNTED_FOR: Final = timedelta(days=365)
GONE: Final = "Somebody who has left"
INVOLVED: Final = "You played in this game or are involved: another moderator decides."


class Suggestion(NamedTuple):
    """The decision that is one step beyond what was done before, and why it is."""

    decision: str
    why: str


class Talk(EvidenceSource):
    key, label, model = "talk", "Said at a table", TalkReport
    template = "site/moderation/_talk.html"
    proposed_first = frozenset({BAN})
    same = ("player_id", "table_id")

    def waiting(self, moderator: Moderator) -> QuerySet[TalkReport]:
        if not moderator.user.is_staff:
            return TalkReport.objects.none()
        rows = TalkReport.objects.filter(decided=None)
        return rows.select_related("player__user", "reporter", "table", "game")

    def case_of(self, rows: Sequence[TalkReport]) -> ModerationCase:
        player, table = rows[0].player, rows[0].table
        subject = subject_of(player) if player is not None else Subject(About.OTHER, 0, GONE)
        reasons = ", ".join(dict.fromkeys(one.get_reason_display() for one in rows))
        name = rows[0].reporter.name if rows[0].reporter else GONE
        known = {one.reporter_id for one in rows if one.reporter_id is not None}
        more = len(known) + sum(one.reporter_id is None for one in rows) - 1
        origin = f"From {name} and {more} more" if more else f"From {name}"
        if table is not None:
            origin += f" · {table.title or table}"
        players = () if player is None else (player,)
        return ModerationCase(self, rows, subject, reasons, origin, rows[0].made, players)

    def why_not(self, rows: Sequence[TalkReport], moderator: Moderator) -> str:
        return INVOLVED if _concerned(moderator, rows) else ""

    def decisions(self, case: ModerationCase, moderator: Moderator) -> list[Decision]:
        found = [Decision(DISMISS, "Dismiss", "Nothing happens", needs_reason=False)]
        player = case.rows[0].player
        if player is None or player.former:
            return found
        found += [
            Decision(WARN, "Warn", f"{player.name} is told why"),
            Decision(DAY, "Silence, 1 day", "Plays on, with set phrases only"),
            Decision(WEEK, "Silence, 7 days", "Plays on, with set phrases only"),
        ]
        if player.user is not None:
            found.append(Decision(BAN, "Ban", "Needs a second moderator"))
        return found

    def context(self, case: ModerationCase, moderator: Moderator, now: datetime) -> dict[str, Any]:
        found: dict[str, Any] = {
            "lines": transcript(case.rows),
            "suggested": suggestion_for(case, moderator),
        }
        for player in case.players:
            muted = Mute.objects.filter(other=player, since__gt=now - timedelta(days=30))
            found["about"] = {
                "since": player.created,
                "games": GameSeat.objects.filter(player=player).count(),
                "sanctions": player.sanctions.filter(lifted=None).order_by("-made")[:10],
                "muted_by": muted.count(),
            }
        return found

    def decide(
        self, case: ModerationCase, moderator: Moderator, given: Mapping[str, Any], now: datetime
    ) -> str:
        decision, reason, player = given["decision"], given["reason"], case.rows[0].player
        if decision == DISMISS or player is None:
            act = self.note(moderator, What.DECIDE_REPORT, case, reason)
        elif decision == BAN and player.user is not None:
            ban = account_actions.ban(moderator.user, player.user, reason, None, now)
            act = self.note(moderator, What.DECIDE_REPORT, case, reason, ban=ban.detail["ban"])
        else:
            check_may(moderator.user, player.user)
            sanction = Sanction.objects.create(
                player=player,
                made=now,
                until=now + SILENCES[decision] if decision in SILENCES else None,
                reason=reason,
                by_id=moderator.user.pk,
                by_name=user_display(moderator.user)[:TITLE_LENGTH],
            )
            what = What.SILENCE if decision in SILENCES else What.WARN
            act = self.note(moderator, what, case, reason, sanction=sanction.pk)
            letters.write(
                f"sanction {sanction.pk}", [player], "A message from the site’s staff",
                "warned_by_staff", words=sanction.in_words(),
            )  # fmt: skip
            transaction.on_commit(partial(speaking.announce_freedom, player.pk))
        TalkReport.objects.filter(pk__in=[row.pk for row in case.rows]).update(decided=now)
        self.thank(case.rows, act)
        return "Decided. You can take it back at any time."

    def reopen(self, act: OperatorAct, reason: str, now: datetime) -> None:
        """Open the reports again; a silence or warning ends."""
        TalkReport.objects.filter(pk__in=act.detail["rows"]).update(decided=None)
        sanctions = Sanction.objects.filter(pk=act.detail.get("sanction"), lifted=None)
        sanction = sanctions.select_related("player__user").first()
        if sanction is None:
            return
        sanctions.update(lifted=now)
        letters.delete_unsent(f"sanction {sanction.pk}")
        letters.write(
            f"sanction {sanction.pk} lifted", [sanction.player], "A message from the site’s staff",
            "talk_sanction_lifted", words=reason,
        )  # fmt: skip
        transaction.on_commit(partial(speaking.announce_freedom, sanction.player_id))


def _concerned(moderator: Moderator, rows: Collection[TalkReport]) -> bool:
    mine = set(
        Player.objects.filter(Q(user=moderator.user) | Q(owner__user=moderator.user)).values_list(
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


def transcript(rows: Sequence[TalkReport]) -> list[dict[str, Any]]:
    """Return what was said, with all reported lines, in order."""
    reported = {one.line for one in rows}
    lines = {line["line"]: line for one in rows for line in one.lines}
    people = Player.objects.in_bulk({one.get("player") for one in lines.values()} - {None})
    return [
        {
            "name": people[one["player"]].name if one["player"] in people else GONE,
            "words": one["words"] if one["phrase"] is None else phrase_in_words(one["phrase"]),
            "phrase": one["phrase"] is not None,
            "at": datetime.fromisoformat(one["at"]),
            "reported": number in reported,
        }
        for number, one in sorted(lines.items())
    ]


def suggestion_for(case: ModerationCase, moderator: Moderator) -> Suggestion | None:
    """Suggest a warning, then a day of silence, then seven, then a ban; None if there is no choice.

    Only what was done in the year before the reported words counts, and was not taken back: whoever
    had not been warned yet could not heed it.
    """
    offered = {one.key for one in case.source.decisions(case, moderator)}
    player, said = case.rows[0].player, _last_said(case)
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


def _last_said(case: ModerationCase) -> datetime:
    times = [
        datetime.fromisoformat(line["at"])
        for one in case.rows
        for line in one.lines
        if line["line"] == one.line
    ]
    return max(times, default=case.since)  # the words are deleted after a while
