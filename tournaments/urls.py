"""The addresses of clubs and events."""

from django.urls import URLPattern, path

from tournaments.views import announcing, calendars, event, players, your_events

urlpatterns: list[URLPattern] = [
    path("events/<int:event_id>/", event.event, name="event"),
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
