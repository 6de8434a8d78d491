"""Whose rank counts only once they log in by two steps: a password, and a number of their phone.

Until they have set that up they are what everybody else is, and lose nothing that is theirs.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from games.models import User

#: Tells of an account whether it has a rank beside that of staff, such as directing a club.
Rank: TypeAlias = Callable[[User], bool]

#: What people read whose rank does not count yet.
WORDS: Final = (
    "For what you wanted to do, this site asks you to log in by two steps. Set them up here; "
    "everything else works without."
)
_ranks: Final[list[Rank]] = []


def asked_of(rank: Rank) -> None:
    """Let two steps be asked of those who have a rank, where the site asks it of directors."""
    _ranks.append(rank)


def lacks(user: User | AnonymousUser) -> bool:
    """Whether an account has a rank that does not count until two steps have been set up.

    Nothing is asked of the database where no two steps are asked of anybody.
    """
    if not settings.TWO_STEPS_FOR or not isinstance(user, User):
        return False
    directs = settings.TWO_STEPS_FOR == "directors"
    ranked = user.is_staff or user.is_superuser or (directs and any(rank(user) for rank in _ranks))
    return ranked and not has_second(user)


def has_second(user: User) -> bool:
    """Whether an account has a second step; codes for when it is lost are none."""
    codes = Authenticator.Type.RECOVERY_CODES
    found: bool = Authenticator.objects.filter(user=user).exclude(type=codes).exists()
    return found
