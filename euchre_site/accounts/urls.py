"""URLs of account pages that differ from allauth's; its own come after them."""

from allauth.socialaccount.providers.apple import views as apple
from allauth.socialaccount.providers.microsoft import views as microsoft
from allauth.socialaccount.providers.openid_connect import views as openid
from django.urls import path, re_path

from euchre_site.accounts import passkeys, views
from euchre_site.accounts.elsewhere import at_provider

urlpatterns = [
    re_path(
        r"^confirm-email/(?P<key>[-:\w]+)/$",
        views.ConfirmAddress.as_view(),
        name="account_confirm_email",
    ),
    path("2fa/webauthn/add/", passkeys.AddPasskey.as_view(), name="mfa_add_webauthn"),
    *(
        path(f"{place}/login/{step}", at_provider(kind, view), name=f"{kind}_{name}")
        for kind, place, step, view, name in (
            ("apple", "apple", "", apple.oauth2_login, "login"),
            ("apple", "apple", "callback/", apple.oauth2_callback, "callback"),
            ("apple", "apple", "callback/finish/", apple.oauth2_finish_login, "finish_callback"),
            ("microsoft", "microsoft", "", microsoft.oauth2_login, "login"),
            ("microsoft", "microsoft", "callback/", microsoft.oauth2_callback, "callback"),
            ("openid_connect", "oidc/<provider_id>", "", openid.login, "login"),
            ("openid_connect", "oidc/<provider_id>", "callback/", openid.callback, "callback"),
        )
    ),
]
