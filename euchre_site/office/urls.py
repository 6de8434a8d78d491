"""URLs of the staff pages and of the forms for reports."""

from django.urls import URLPattern, path

from euchre_site.office import report_views, talk_views, views

urlpatterns: list[URLPattern] = [
    path("office/", views.office, name="office"),
    path("office/failures/clear", views.clear_failures, name="office_clear_failures"),
    path("office/accounts/", views.accounts, name="office_accounts"),
    path("office/players/<num:player_id>/", views.player_account, name="office_player"),
    path("office/players/<num:player_id>/rename", views.rename_player, name="office_rename"),
    path("office/accounts/<num:user_id>/", views.user_account, name="office_user"),
    path("office/accounts/<num:user_id>/ban", views.ban, name="office_ban"),
    path("office/accounts/<num:user_id>/delete", views.delete, name="office_delete"),
    path("office/accounts/<num:user_id>/lift", views.lift, name="office_lift"),
    path("office/clubs/<slug:slug>/", views.club_page, name="office_club"),
    path("office/clubs/<slug:slug>/close", views.close_club, name="office_close_club"),
    path("office/clubs/<slug:slug>/open", views.reopen_club, name="office_reopen_club"),
    path("office/clubs/<slug:slug>/rename", views.rename_club, name="office_rename_club"),
    path("office/clubs/<slug:slug>/own", views.hand_over_club, name="office_hand_over"),
    path("office/reports/", views.report_list, name="office_reports"),
    path("office/reports/<num:report_id>/", views.report_case, name="office_report"),
    path("office/talk/", talk_views.queue, name="office_talk"),
    path("office/talk/<num:report_id>/", talk_views.case, name="office_talk_case"),
    path("office/talk/<num:report_id>/open", talk_views.claim, name="office_talk_open"),
    path("office/talk/<num:report_id>/leave", talk_views.release, name="office_talk_leave"),
    path("office/acts/", views.action_list, name="office_acts"),
    path("office/acts/<num:act_id>/undo", views.undo, name="office_undo"),
    path("report/player/<num:player_id>/", report_views.report_player, name="report_player"),
    path("report/club/<slug:slug>/", report_views.report_club, name="report_club"),
    path("report/event/<num:event_id>/", report_views.report_event, name="report_event"),
]
