"""Signal receivers."""

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db import transaction
from django.db.models.signals import post_delete, pre_delete
from django.dispatch import receiver
from django.http import HttpRequest
from django.urls import reverse

from games.friends.inviting import invited
from games.lessons import progress as lesson_progress
from games.models import Invitation, Player, Token, User
from games.notifying import devices, pushes
from games.notifying.kinds import INVITE
from games.puzzles import progress as puzzle_progress
from games.sockets import hub


@receiver(user_logged_out)
def close_sockets(request: HttpRequest | None, **_kwargs: Any) -> None:
    key = request.session.session_key if request is not None else None
    if key is not None:
        hub.close_session(key)
    if request is not None:
        devices.forget_browser(request.session)


@receiver(user_logged_in)
def reopen_sockets(request: HttpRequest, **_kwargs: Any) -> None:
    """Let the browser reopen its sockets with the session of the account that has logged in.

    Logging in changes the session's key. A socket with the old key would continue as the former
    guest and miss the logout.
    """
    old = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if old is not None and old != request.session.session_key:
        hub.close_session(old, hub.ANOTHER_SESSION)


@receiver(user_logged_in)
def keep_progress(request: HttpRequest, user: User, **_kwargs: Any) -> None:
    """Keep the lessons learnt and puzzles solved in this browser with the account."""
    lesson_progress.keep(request.session, user)
    puzzle_progress.keep(request.session, user)


@receiver(pre_delete, sender=User)
def close_sockets_of_account(instance: User, **_kwargs: Any) -> None:
    for player_id in Player.objects.filter(user=instance).values_list("pk", flat=True):
        transaction.on_commit(partial(hub.close_player, player_id))


@receiver(post_delete, sender=Token)
def close_streams(instance: Token, **_kwargs: Any) -> None:
    opener = hub.opener_of_token(instance.pk)
    transaction.on_commit(lambda: hub.close_session(opener))


@receiver(invited)
def push_invitation(invitation: Invitation, **_kwargs: Any) -> None:
    """Call whoever is invited to their invitations: a link to the table is a secret."""
    path = reverse("friends")
    title = f"{invitation.by.name} invites you to a table"
    key = f"invitation {invitation.pk}"
    pushes.queue(INVITE, key, [invitation.to_id], title, path, now=invitation.made)
