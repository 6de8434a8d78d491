"""Matches and quick games that wait to be rated; those of the same players are a case."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from euchre_site.moderation.sources import (
    Decision,
    EvidenceSource,
    ModerationCase,
    Moderator,
    WaitingSince,
)
from euchre_site.office.actions import Subject, What, subject_of
from games.models import About, OperatorAct, Player
from tournaments.models import Club, Event, RatingHold
from tournaments.ratings import moderation

PASS, REFUSE, RECOGNISE = "pass", "refuse", "recognise"


class HeldRatings(EvidenceSource):
    key, label, model = "ratings", "Ratings on hold", RatingHold
    template = "site/moderation/_held_ratings.html"
    reason_length = moderation.MAX_LENGTH

    def waiting(self, moderator: Moderator) -> QuerySet[RatingHold]:
        rows = RatingHold.objects.filter(state=RatingHold.State.WAITING)
        return rows if moderator.user.is_staff else rows.none()

    def oldest(self, moderator: Moderator, most: int) -> tuple[list[WaitingSince], bool]:
        """Return the cases of the holds that wait longest; no field says whose they are."""
        waiting = self.waiting(moderator)
        groups = moderation.by_players(waiting[:most])
        found = [WaitingSince(rows[0].made, self.key, rows[0].pk) for _players, rows in groups]
        return found, waiting[most : most + 1].exists()

    def cases(self, moderator: Moderator, numbers: Collection[int]) -> list[ModerationCase]:
        holds = moderation.of_their_players(self.waiting(moderator), numbers)
        wanted = set(numbers)
        return [
            self.case_of(rows, players)
            for players, rows in moderation.by_players(holds)
            if not wanted.isdisjoint(row.pk for row in rows)
        ]

    def case_of(
        self, rows: Sequence[RatingHold], players: tuple[Player, ...] = ()
    ) -> ModerationCase:
        club = rows[0].pairing and rows[0].pairing.round.event.club
        subject = subject_of(club) if club else Subject(About.OTHER, 0, "Quick games")
        what = f"{len(rows)} {'match' if club else 'quick game'}"
        if len(rows) > 1:
            what += "es" if club else "s"
        return ModerationCase(
            self, rows, subject, rows[0].get_reason_display(),
            f"{subject.name} · {what}", rows[0].made, players,
        )  # fmt: skip

    def why_not(self, rows: Sequence[RatingHold], moderator: Moderator) -> str:
        return moderation.why_not_decide([row.pk for row in rows], moderator.player)

    def decisions(self, case: ModerationCase, moderator: Moderator) -> list[Decision]:
        address = case.rows[0].reason == RatingHold.Reason.ADDRESS
        fields = (RECOGNISE,) if address and _unrecognised(case) else ()
        return [
            Decision(PASS, "Let through", "They are rated in their place", False, fields),
            Decision(REFUSE, "Do not rate", "The players read the reason"),
        ]

    def decide(
        self, case: ModerationCase, moderator: Moderator, given: Mapping[str, Any], now: datetime
    ) -> str:
        let_through = given["decision"] == PASS
        recognise = _unrecognised(case) if let_through and given.get(RECOGNISE) else []
        count = moderation.decide(
            [row.pk for row in case.rows], moderator.player, given["reason"], now,
            let_through=let_through, recognise=recognise,
        )  # fmt: skip
        self.note(moderator, What.DECIDE_REPORT, case, given["reason"], recognised=recognise)
        said = "let through" if let_through else "not rated"
        return f"{count} match{'es' * (count != 1)}: {said}."

    def reopen(self, act: OperatorAct, reason: str, now: datetime) -> None:
        moderation.hold_again(act.detail["rows"], act.detail["recognised"])


def _unrecognised(case: ModerationCase) -> list[int]:
    """Return the clubs whose matches wait and that are not known to meet in one room."""
    events = Event.objects.filter(played_rounds__pairings__in=[row.pairing_id for row in case.rows])
    clubs = Club.objects.filter(events__in=events, recognised=False)
    return list(clubs.values_list("pk", flat=True).distinct())
