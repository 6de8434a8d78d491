"""Signs in games that a club looks into; each player of a sign is a case of the club."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404

from euchre_site.moderation.sources import Decision, EvidenceSource, ModerationCase, Moderator
from euchre_site.office.actions import subject_of
from tournaments.access import ClubAccess
from tournaments.fair_play import matters, views
from tournaments.models import Club, FairPlayAct, FairPlayMatter, Membership
from tournaments.models.clubs import DIRECTORS

Kind = FairPlayAct.Kind
JUDGES: Final = (*DIRECTORS, Membership.Role.MODERATOR)


class Signs(EvidenceSource):
    key, label, model = "signs", "Signs in games", FairPlayMatter
    template = "site/moderation/_signs.html"
    reason_length = matters.MAX_LENGTH
    made = "opened"

    def waiting(self, moderator: Moderator) -> QuerySet[FairPlayMatter]:
        rows = self._seen(moderator).filter(closed=None)
        if moderator.user.is_staff:
            judges = Membership.objects.filter(role__in=JUDGES, club__closed=None)
            others = judges.filter(club=OuterRef("club")).exclude(player=OuterRef("player"))
            own = judges.filter(player=moderator.player).values("club")
            rows = rows.filter(~Exists(others) | Q(club__in=own))
        return rows

    def _seen(self, moderator: Moderator) -> QuerySet[FairPlayMatter]:
        """Return the matters of a moderator's clubs, without their own; to the staff, of all.

        In the queue of the staff are those that nobody else in their club may judge.
        """
        rows = FairPlayMatter.objects.exclude(player=moderator.player)
        if not moderator.user.is_staff:
            theirs = moderator.player.memberships.filter(role__in=JUDGES, club__closed=None)
            rows = rows.filter(club__in=theirs.values("club"))
        return rows

    def cases(self, moderator: Moderator, numbers: Collection[int]) -> list[ModerationCase]:
        """Return cases that may be seen, dismissed ones as well: the next step reopens them."""
        rows = matters.with_acts(self._seen(moderator).filter(pk__in=numbers))
        return [self.case_of([row]) for row in rows]

    def case(self, moderator: Moderator, number: int) -> ModerationCase:
        found = self.cases(moderator, [number])
        if not found:
            raise Http404
        return found[0]

    def case_of(self, rows: Sequence[FairPlayMatter]) -> ModerationCase:
        row = rows[0]
        origin = f"{row.club.name} · {row.event.name}" if row.event else row.club.name
        return ModerationCase(
            self,
            rows,
            subject_of(row.player),
            row.get_kind_display(),
            f"{origin} · {matters.state_of(row)}",
            row.opened,
            (row.player,),
            row.club,
        )

    def why_not(self, rows: Sequence[FairPlayMatter], moderator: Moderator) -> str:
        return matters.why_not_judge(rows[0], moderator.player)

    def decisions(self, case: ModerationCase, moderator: Moderator) -> list[Decision]:
        matter: FairPlayMatter = case.rows[0]
        asked = any(act.kind == Kind.ASK for act in matter.acts.all())
        offered = [
            Decision(Kind.ASK, "Ask the player", "A letter in neutral words", False),
            Decision(Kind.NOTE, "Note it", "No letter", False),
            Decision(Kind.HOLD, "Put ratings on hold", "The site’s staff decide on them", False),
            Decision(Kind.DISMISS, "Dismiss", "Closes the case", False),
        ]
        gone = {Kind.ASK} if asked else set()
        gone |= {Kind.DISMISS} if matter.closed else set()
        if access_of(moderator, matter.club).directs:
            effect = "The side of the player loses it by forfeit"
            matches = tuple(
                (one.pk, f"{one.round.event.name}, round {one.round.number}, table {one.number}")
                for one in matters.pairings_of(matter)
            )
            aside = Decision(
                Kind.SET_ASIDE, "Set a result aside", effect, False, ("match",), matches
            )
            offered.append(aside)
        return [one for one in offered if one.key not in gone]

    def context(self, case: ModerationCase, moderator: Moderator, now: datetime) -> dict[str, Any]:
        return views.of_matter(case.rows[0]) | {"club": case.club}

    def decide(
        self, case: ModerationCase, moderator: Moderator, given: Mapping[str, Any], now: datetime
    ) -> str:
        matter: FairPlayMatter = case.rows[0]
        access = access_of(moderator, matter.club)
        done = matters.act(
            access, matter, given["decision"], given["reason"], now, pairing_id=given.get("match")
        )
        return f"{done.get_kind_display()}."


def access_of(moderator: Moderator, club: Club) -> ClubAccess:
    found = club.memberships.filter(player=moderator.player).first()
    return ClubAccess(club, moderator.player, found, False)
