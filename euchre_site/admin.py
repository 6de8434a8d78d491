"""Changes to Django's and allauth's admin pages.

They use the site's login with its limits and second step, hide secrets, and record changes among
the actions of operators.
"""

from typing import Any

from allauth.account import admin as _of_accounts
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa import admin as _of_factors
from allauth.mfa.models import Authenticator
from allauth.socialaccount import admin as _of_logins_elsewhere
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models.signals import post_save
from django.dispatch import receiver

from euchre_site.office import actions
from euchre_site.office.actions import Subject, What
from games.admin import ReadOnlyAdmin, register
from games.models import About
from games.models.office import TITLE_LENGTH
from games.numbers import parse_number

# Imported first, as they register what is replaced here
__all__ = ["_of_accounts", "_of_factors", "_of_logins_elsewhere"]

admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.site_header = admin.site.site_title = "Admin pages"
admin.site.unregister([Authenticator, EmailAddress, SocialAccount, SocialApp, SocialToken])


@admin.register(Authenticator)
class AuthenticatorAdmin(ReadOnlyAdmin):
    """Second factors without their secrets; deleting one helps people who have lost it."""

    columns = ("user", "type", "created_at", "last_used_at")
    searched = ("pk", "user")

    def has_delete_permission(self, request: Any, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)


register(SocialAccount, "user provider uid date_joined last_login", "user uid")
register(EmailAddress, "email user primary verified", "email user", editable=("verified",))


@receiver(post_save, sender=LogEntry)
def note_change(instance: LogEntry, created: bool, **_kwargs: Any) -> None:
    if not created:
        return
    kinds = {"user": About.USER, "player": About.PLAYER, "club": About.CLUB, "event": About.EVENT}
    model = instance.content_type.model if instance.content_type else ""
    key = str(instance.object_id or "")
    number = parse_number(key) if model in kinds else None
    subject = Subject(
        kinds[model] if number is not None else About.OTHER,
        number or 0,
        f"{model} {key}"[:TITLE_LENGTH],  # not its text, which may be an e-mail address
    )
    actions.record(instance.user, What.ADMIN, subject, instance.get_change_message())
