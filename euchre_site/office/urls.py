"""URLs of the staff pages."""

from django.urls import URLPattern, path

from euchre_site.office import views

urlpatterns: list[URLPattern] = [
    path("office/", views.office, name="office"),
    path("office/failures/clear", views.clear_failures, name="office_clear_failures"),
    path("office/accounts/", views.accounts, name="office_accounts"),
    path("office/players/<num:player_id>/", views.player_account, name="office_player"),
    path("office/accounts/<num:user_id>/", views.user_account, name="office_user"),
    path("office/clubs/<slug:slug>/", views.club_page, name="office_club"),
    *(
        path(f"office/{whose}/{what}", views.act_on_account, {"what": what}, name=f"office_{what}")
        for whose, what in (
            ("players/<num:player_id>", "rename"),
            ("accounts/<num:user_id>", "ban"),
            ("accounts/<num:user_id>", "delete"),
            ("accounts/<num:user_id>", "lift"),
        )
    ),
    *(
        path(f"office/clubs/<slug:slug>/{what}", views.act_on_club, {"what": what}, name=name)
        for what, name in (
            ("close", "office_close_club"),
            ("open", "office_reopen_club"),
            ("rename", "office_rename_club"),
            ("own", "office_hand_over"),
        )
    ),
    path("office/acts/", views.action_list, name="office_acts"),
    path("office/acts/<num:act_id>/undo", views.undo, name="office_undo"),
]
