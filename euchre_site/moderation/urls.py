"""URLs of the queue of cases, and of the forms for reports."""

from django.urls import URLPattern, path

from euchre_site.moderation import views

urlpatterns: list[URLPattern] = [
    path("moderation/", views.queue, name="cases"),
    path("moderation/<slug:source>/<num:evidence>/", views.case, name="case"),
    path("moderation/acts/<num:act_id>/undo", views.take_back, name="take_back_decision"),
    path("report/player/<num:player_id>/", views.report_player, name="report_player"),
    path("report/club/<slug:slug>/", views.report_club, name="report_club"),
    path("report/event/<num:event_id>/", views.report_event, name="report_event"),
]
