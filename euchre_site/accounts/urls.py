"""URLs of account pages that differ from allauth's; its own come after them."""

from django.urls import re_path

from euchre_site.accounts import views

urlpatterns = [
    re_path(
        r"^confirm-email/(?P<key>[-:\w]+)/$",
        views.ConfirmAddress.as_view(),
        name="account_confirm_email",
    ),
]
