"""What operators do: who may, and the record of it, which is only ever added to."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from euchre_site.accounts.accounts import user_display
from games.models import About, OperatorAct, Player, User
from games.models.office import REASON_LENGTH, TITLE_LENGTH
from tournaments.models import Club, Event
from tournaments.refusals import RefusedError

What = OperatorAct.What
#: What can be taken back, by the verbs of this room.
REVERSIBLE = (What.BAN, What.RENAME, What.CLOSE_CLUB, What.HAND_OVER)


@dataclass(frozen=True)
class Subject:
    """Whom or what an act or a report is about, as it is called now."""

    about: str
    key: int
    name: str


def subject_of(one: User | Player | Club | Event) -> Subject:
    """Return somebody or something as the subject of an act or a report."""
    if isinstance(one, User):
        return Subject(About.USER, one.pk, user_display(one)[:TITLE_LENGTH])
    kinds = {Player: About.PLAYER, Club: About.CLUB, Event: About.EVENT}
    return Subject(kinds[type(one)], one.pk, one.name[:TITLE_LENGTH])


def note(
    by: User | None,
    what: str,
    subject: Subject,
    reason: str = "",
    *,
    undoes: OperatorAct | None = None,
    **detail: Any,
) -> OperatorAct:
    """Add an act to the record, in the transaction of what was done.

    Args:
        by: who did it; None for the clock.
        what: an `OperatorAct.What`.
        subject: whom or what it is about.
        reason: why.
        undoes: the act that is taken back by it.
        detail: what else is needed to take it back, as JSON values.
    """
    return OperatorAct.objects.create(
        what=what,
        by_id=by.pk if by else None,
        by_name=user_display(by)[:TITLE_LENGTH] if by else "the clock",
        about=subject.about,
        about_id=subject.key,
        about_name=subject.name,
        reason=reason[:REASON_LENGTH],
        undoes=undoes,
        detail=detail,
    )


def acts_about(*subjects: Subject) -> QuerySet[OperatorAct]:
    """Return what was done about any of these, the latest first."""
    which = Q()
    for one in subjects:
        which |= Q(about=one.about, about_id=one.key)
    return OperatorAct.objects.filter(which).select_related("undone_by")


def reversible(act: OperatorAct) -> bool:
    """Whether an act can be taken back, and has not been."""
    return act.what in REVERSIBLE and not hasattr(act, "undone_by")


def refuse_done_twice(act: OperatorAct) -> None:
    """Refuse to take back what has been taken back, or cannot be."""
    if OperatorAct.objects.filter(undoes=act).exists():
        raise RefusedError("undone", "That has been taken back already.")


def check_may(operator: User, user: User | None) -> None:
    """Refuse what operators may not do to an account: to their own, and to one above theirs.

    Raises:
        RefusedError: ``yourself`` or ``superuser``.
    """
    if user is None:
        return
    if user.pk == operator.pk:
        raise RefusedError("yourself", "Nobody does that to their own account.", 403)
    if user.is_superuser and not operator.is_superuser:
        raise RefusedError("superuser", "Only a superuser may do that to a superuser.", 403)
