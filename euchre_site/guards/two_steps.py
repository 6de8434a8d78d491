"""Two-step login required for staff, and for the admin pages."""

from django.contrib import admin, messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.deprecation import MiddlewareMixin

from games.answers import SeeOther, by_script
from games.people import two_steps


class TwoStepsFirst(MiddlewareMixin):
    """Middleware that sends people whose rank needs two-step login to its setup."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, PermissionDenied) or not two_steps.lacks(request.user):
            return None
        if by_script(request):
            return HttpResponse(two_steps.WORDS, status=403, content_type="text/plain")
        messages.warning(request, two_steps.WORDS)
        return SeeOther(resolve_url("mfa_activate_totp"))


class AdminSite(admin.AdminSite):
    """Django's admin pages behind this site's login.

    Django's own admin login has neither two steps nor limits on wrong passwords.
    """

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and not two_steps.lacks(request.user)

    def login(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """Redirect to this site's login; raise PermissionDenied if logged in without permission."""
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or resolve_url("admin:index"))
