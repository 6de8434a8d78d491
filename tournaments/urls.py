"""The addresses of clubs and events."""

from django.urls import URLPattern, path

from tournaments.views import (
    announcing,
    calendars,
    clubs,
    entering,
    event,
    event_form,
    events,
    exports,
    house_rules,
    members,
    players,
    seasons,
    your_events,
)

urlpatterns: list[URLPattern] = [
    path("clubs/", clubs.club_list, name="club_list"),
    path("clubs/new/", clubs.new_club, name="new_club"),
    path("clubs/<slug:slug>/", clubs.club_page, name="club"),
    path("clubs/<slug:slug>/settings/", clubs.club_settings, name="club_settings"),
    path("clubs/<slug:slug>/link", clubs.renew_link, name="renew_club_link"),
    path("clubs/<slug:slug>/delete", clubs.delete_club, name="delete_club"),
    path("clubs/<slug:slug>/join", members.join_club, name="join_club"),
    path("clubs/<slug:slug>/join/<str:key>/", clubs.follow_invitation, name="club_invitation"),
    path("clubs/<slug:slug>/leave", members.leave_club, name="leave_club"),
    path("clubs/<slug:slug>/members/", members.club_members, name="club_members"),
    path("clubs/<slug:slug>/members/<int:player_id>/role", members.set_role, name="set_role"),
    path("clubs/<slug:slug>/members/<int:player_id>/own", members.hand_over, name="hand_over"),
    path(
        "clubs/<slug:slug>/members/<int:player_id>/remove",
        members.remove_member,
        name="remove_member",
    ),
    path(
        "clubs/<slug:slug>/requests/take-back", members.take_back_request, name="take_back_request"
    ),
    path(
        "clubs/<slug:slug>/requests/<int:request_id>/accept",
        members.accept_request,
        name="accept_request",
    ),
    path(
        "clubs/<slug:slug>/requests/<int:request_id>/decline",
        members.decline_request,
        name="decline_request",
    ),
    path("clubs/<slug:slug>/rules/", house_rules.rules_list, name="club_rules"),
    path("clubs/<slug:slug>/rules/new/", house_rules.new_rules, name="new_club_rules"),
    path("clubs/<slug:slug>/rules/<int:rules_id>/", house_rules.edit_rules, name="edit_club_rules"),
    path(
        "clubs/<slug:slug>/rules/<int:rules_id>/delete",
        house_rules.delete_rules,
        name="delete_club_rules",
    ),
    path("clubs/<slug:slug>/seasons/", seasons.present_season, name="club_seasons"),
    path("clubs/<slug:slug>/seasons/new/", seasons.new_season, name="new_season"),
    path("clubs/<slug:slug>/seasons/<int:season_id>/", seasons.season_page, name="club_season"),
    path(
        "clubs/<slug:slug>/seasons/<int:season_id>/edit/", seasons.edit_season, name="edit_season"
    ),
    path(
        "clubs/<slug:slug>/seasons/<int:season_id>/delete",
        seasons.delete_season,
        name="delete_season",
    ),
    path("clubs/<slug:slug>/years/<int:year>/", seasons.year_page, name="club_year"),
    path("clubs/<slug:slug>/events/new/", event_form.new_event, name="new_event"),
    path("events/", events.event_list, name="event_list"),
    path("events/<int:event_id>/", event.event, name="event"),
    path("events/<int:event_id>/edit/", event_form.edit_event, name="edit_event"),
    path("events/<int:event_id>/publish", event_form.publish_event, name="publish_event"),
    path("events/<int:event_id>/delete", event_form.delete_event, name="delete_event"),
    path("events/<int:event_id>/end-series", event_form.stop_series, name="stop_series"),
    path("events/<int:event_id>/register", entering.register, name="register"),
    path("events/<int:event_id>/withdraw", entering.withdraw, name="withdraw"),
    path("events/<int:event_id>/check-in", entering.check_in, name="check_in"),
    path("events/<int:event_id>/partner", entering.ask_partner, name="ask_partner"),
    path("events/<int:event_id>/partner/seek", entering.seek_partner, name="seek_partner"),
    path(
        "events/<int:event_id>/partner/ask/<int:player_id>", entering.ask_seeker, name="ask_seeker"
    ),
    path(
        "events/<int:event_id>/partner/<int:entry_id>/accept",
        entering.accept_partner,
        name="accept_partner",
    ),
    path(
        "events/<int:event_id>/partner/<int:entry_id>/decline",
        entering.decline_partner,
        name="decline_partner",
    ),
    path("events/<int:event_id>/rounds/<int:number>/", event.event_round, name="event_round"),
    path(
        "events/<int:event_id>/rounds/<int:number>/tables/<int:table>/",
        event.event_visit,
        name="event_visit",
    ),
    path("events/<int:event_id>/bracket/", event.event_bracket, name="event_bracket"),
    path("events/<int:event_id>/standings/", event.event_standings, name="event_standings"),
    path(
        "events/<int:event_id>/export/<str:what>.<str:kind>",
        exports.event_export,
        name="event_export",
    ),
    path("players/<int:player_id>/", players.player_page, name="player"),
    path("you/events/", your_events.your_events, name="your_events"),
    path("you/events/calendar", your_events.renew_calendar, name="renew_calendar"),
    path("calendar/<str:token>.ics", calendars.player_calendar, name="player_calendar"),
    path("clubs/<slug:slug>/calendar.ics", calendars.club_calendar, name="club_calendar"),
    path("clubs/<slug:slug>/news", announcing.club_news, name="club_news"),
    path("clubs/<slug:slug>/announce/", announcing.announce, name="announce"),
    path(
        "clubs/<slug:slug>/announcements/",
        announcing.club_announcements,
        name="club_announcements",
    ),
    path(
        "clubs/<slug:slug>/announcements/<int:announcement_id>/remove",
        announcing.take_down,
        name="take_down",
    ),
]
