"""Two-step login for privileged accounts.

Where the site requires it, a rank (staff, director) has no effect until a second factor is set up.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from games.models import User

#: Returns whether an account has a rank other than staff, such as director of a club.
Rank: TypeAlias = Callable[[User], bool]

#: Shown to people whose rank has no effect yet.
WORDS: Final = (
    "What you wanted to do needs two-step login. Set it up here; everything else works without it."
)
_ranks: Final[list[Rank]] = []


def asked_of(rank: Rank) -> None:
    _ranks.append(rank)


def lacks(user: User | AnonymousUser) -> bool:
    """Return True if an account's rank requires a second step that it lacks."""
    if not settings.TWO_STEPS_FOR or not isinstance(user, User):
        return False
    directs = settings.TWO_STEPS_FOR == "directors"
    ranked = user.is_staff or user.is_superuser or (directs and any(rank(user) for rank in _ranks))
    return ranked and not has_second(user)


def has_second(user: User) -> bool:
    """Return True if a login by password needs an app's code too.

    Recovery codes do not count, nor do passkeys: without an app the password alone still lets in.
    """
    found: bool = Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists()
    return found
