"""The root URL configuration."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from euchre_site.api.api import api
from euchre_site.notification_settings import views as notifications
from euchre_site.own_data import views as own_data
from euchre_site.pages import installed, views
from euchre_site.pages.home import home

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home, name="home"),
    path("accounts/", include("euchre_site.accounts.urls")),
    path("accounts/", include("allauth.urls")),
    path(
        ".well-known/change-password",
        RedirectView.as_view(pattern_name="account_change_password"),
        name="well_known_change_password",
    ),
    path("you/", views.you, name="you"),
    path("you/look/", views.look, name="look"),
    path("you/name/", views.name, name="name"),
    path("you/table/", views.at_the_table, name="at_the_table"),
    path("you/record/", views.record, name="record"),
    path("you/notifications/", notifications.notifications, name="notifications"),
    path("unsubscribe/<str:token>/", notifications.unsubscribe, name="unsubscribe"),
    path(
        "you/notifications/choose/",
        notifications.choose_notifications,
        name="choose_notifications",
    ),
    path("you/notifications/quiet/", notifications.choose_quiet_hours, name="choose_quiet_hours"),
    path("you/notifications/device/", notifications.add_device, name="add_device"),
    path("you/notifications/remove/", notifications.remove_device, name="remove_device"),
    path("you/notifications/test/", notifications.test_push, name="test_push"),
    path("you/data/", own_data.show, name="own_data"),
    path("you/data/take/", own_data.take, name="take_data"),
    path("you/data/<num:number>/", own_data.file, name="data_file"),
    path("you/delete/", own_data.deletion_page, name="deletion"),
    path("you/delete/ask/", own_data.ask_deletion, name="ask_deletion"),
    path("you/delete/keep/", own_data.keep_account, name="keep_account"),
    path("api/", RedirectView.as_view(pattern_name="api:openapi-view"), name="api"),
    path("api/", api.urls),
    path("", include("euchre_site.office.urls")),
    path("", include("euchre_site.moderation.urls")),
    path("robots.txt", views.robots, name="robots"),
    path("favicon.ico", installed.favicon, name="favicon"),
    path("site.webmanifest", installed.manifest, name="manifest"),
    path("worker.js", installed.worker, name="worker"),
    path("offline/", installed.offline, name="offline"),
    path("", include("games.urls")),
    path("", include("tournaments.urls")),
]
handler500 = "euchre_site.guards.unavailable.failed"
if settings.ADMIN_PATH:
    urlpatterns.insert(0, path(f"{settings.ADMIN_PATH}/", admin.site.urls))
