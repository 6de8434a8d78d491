"""Who is refused something for want of a second step to log in is led to where it is set up."""

from django.contrib import admin, messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.deprecation import MiddlewareMixin

from games.answers import SeeOther, by_script
from games.people import two_steps


class TwoStepsFirst(MiddlewareMixin):
    """Answers what nobody but somebody with a rank may do, where the rank does not count yet."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Lead to the second step instead of refusing; anybody else is refused as ever."""
        if not isinstance(error, PermissionDenied) or not two_steps.lacks(request.user):
            return None
        if by_script(request):
            return HttpResponse(two_steps.WORDS, status=403, content_type="text/plain")
        messages.warning(request, two_steps.WORDS)
        return SeeOther(resolve_url("mfa_activate_totp"))


class AdminSite(admin.AdminSite):
    """Django's admin pages, behind this site's own login and two steps where these are asked for.

    Their own login would know neither those nor the limits of wrong passwords.
    """

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may see the admin pages at all."""
        return super().has_permission(request) and not two_steps.lacks(request.user)

    def login(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """Lead to this site's login; raise PermissionDenied for who has logged in and may not."""
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or resolve_url("admin:index"))
