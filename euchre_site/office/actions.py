"""Permissions of operators, and the append-only record of their actions."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from euchre_site.accounts.accounts import user_display
from games.models import About, OperatorAct, Player, User
from games.models.office import REASON_LENGTH, TITLE_LENGTH
from tournaments.models import Club, Event
from tournaments.refusals import RefusedError

What = OperatorAct.What
#: The kinds of actions that can be undone.
REVERSIBLE = (What.BAN, What.RENAME, What.CLOSE_CLUB, What.HAND_OVER)


@dataclass(frozen=True)
class Subject:
    about: str
    key: int
    name: str


def subject_of(target: User | Player | Club | Event) -> Subject:
    if isinstance(target, User):
        return Subject(About.USER, target.pk, user_display(target)[:TITLE_LENGTH])
    kinds = {Player: About.PLAYER, Club: About.CLUB, Event: About.EVENT}
    return Subject(kinds[type(target)], target.pk, target.name[:TITLE_LENGTH])


def record(
    by: User | None,
    what: str,
    subject: Subject,
    reason: str = "",
    *,
    undoes: OperatorAct | None = None,
    **detail: Any,
) -> OperatorAct:
    """Record an action in the transaction that carries it out.

    by: None for an automatic action. detail: JSON values needed to undo it.
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


def actions_about(*subjects: Subject) -> QuerySet[OperatorAct]:
    which = Q()
    for subject in subjects:
        which |= Q(about=subject.about, about_id=subject.key)
    return OperatorAct.objects.filter(which).select_related("undone_by")


def reversible(act: OperatorAct) -> bool:
    return (act.what in REVERSIBLE or "case" in act.detail) and not hasattr(act, "undone_by")


def check_not_undone(act: OperatorAct) -> None:
    if OperatorAct.objects.filter(undoes=act).exists():
        raise RefusedError("undone", "This has been undone already.")


def check_may(operator: User, user: User | None) -> None:
    """Raise RefusedError for one's own account (``yourself``) and a superuser's (``superuser``)."""
    if user is None:
        return
    if user.pk == operator.pk:
        raise RefusedError("yourself", "You cannot do this to your own account.", 403)
    if user.is_superuser and not operator.is_superuser:
        raise RefusedError("superuser", "Only a superuser may do this to a superuser.", 403)
