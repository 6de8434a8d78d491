"""URLs of the staff pages."""

from django.urls import URLPattern, path

from euchre_site.office import views

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
    path("office/acts/", views.action_list, name="office_acts"),
    path("office/acts/<num:act_id>/undo", views.undo, name="office_undo"),
]
