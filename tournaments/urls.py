"""URLs of clubs and events."""

from typing import TypeAlias

from django.urls import URLPattern, URLResolver, include, path

from tournaments.acts.registry import ACTS
from tournaments.attendance import views as attendance
from tournaments.calendar import views as calendar
from tournaments.clubs import call_views as club_calls
from tournaments.clubs import views as clubs
from tournaments.console import apart_views
from tournaments.console import door_views as door
from tournaments.console import people_views as people
from tournaments.console import results_views as results
from tournaments.console import views as console
from tournaments.console import wrong_views as wrong
from tournaments.daily import dates  # noqa: F401 - registers days and months in addresses
from tournaments.daily import views as daily
from tournaments.entering import views as entering
from tournaments.event_page import views as event_page
from tournaments.fair_play import views as fair_play
from tournaments.guide import views as guide
from tournaments.importing import person_views as listed
from tournaments.importing import views as importing
from tournaments.joining import views as joining
from tournaments.money import views as money
from tournaments.paper import views as paper
from tournaments.projector import views as projector
from tournaments.ratings import views as ratings
from tournaments.room_scores import views as room_scores
from tournaments.search import views as search
from tournaments.seasons import division_views as divisions
from tournaments.seasons import team_views
from tournaments.seasons import views as seasons
from tournaments.setting_up import play_off_views as play_offs
from tournaments.setting_up import views as setting_up
from tournaments.sharing import views as sharing
from tournaments.statistics import views as statistics
from tournaments.webhooks import views as webhooks

#: A list that includes others.
Urls: TypeAlias = list[URLPattern | URLResolver]

member_urls = [
    path("", clubs.club_members, name="club_members"),
    path("director", clubs.name_director, name="name_director"),
    path("<num:player_id>/role", clubs.set_role, name="set_role"),
    path("<num:player_id>/own", clubs.hand_over, name="hand_over"),
    path("<num:player_id>/remove", clubs.remove_member, name="remove_member"),
]
rules_urls = [
    path("", clubs.rules_list, name="club_rules"),
    path("new/", clubs.new_rules, name="new_club_rules"),
    path("<num:rules_id>/", clubs.edit_rules, name="edit_club_rules"),
    path("<num:rules_id>/delete", clubs.delete_rules, name="delete_club_rules"),
]
list_urls = [
    path("", importing.members_list, name="members_list"),
    path("members.csv", importing.members_csv, name="members_csv"),
    path("take-back", importing.take_back_list, name="take_back_list"),
    path("<num:listed_id>/", listed.listed_person, name="listed_person"),
    path("<num:listed_id>/change", listed.change_listed, name="change_listed"),
    path("<num:listed_id>/remove", importing.remove_listed, name="remove_listed"),
]
past_result_urls = [
    path("", seasons.past_results, name="past_results"),
    path("past-results.csv", seasons.past_results_csv, name="past_results_csv"),
    path("import/", importing.import_past_results, name="import_past_results"),
    path("take-back", importing.take_back_past_results, name="take_back_past_results"),
]
season_urls = [
    path("", seasons.season_page, name="club_season"),
    path("edit/", seasons.edit_season, name="edit_season"),
    path("delete", seasons.delete_season, name="delete_season"),
    path("table.csv", seasons.season_csv, name="season_csv"),
    path("divisions/players/", divisions.place_players, name="place_players"),
    path("next/", divisions.next_season, name="next_season"),
    path("teams/", team_views.season_teams, name="season_teams"),
    path("teams/<num:team_id>/", team_views.season_team, name="season_team"),
    path("play-offs/", play_offs.make_play_offs, name="make_play_offs"),
    path("rule/<num:change_id>/put-back", seasons.put_back_rule, name="put_back_rule"),
]
webhook_urls = [
    path("", webhooks.club_webhooks, name="club_webhooks"),
    path("<num:webhook_id>/", webhooks.webhook_page, name="webhook"),
    path("<num:webhook_id>/test", webhooks.test_webhook, name="test_webhook"),
    path("<num:webhook_id>/pause", webhooks.pause_webhook, name="pause_webhook"),
    path("<num:webhook_id>/resume", webhooks.resume_webhook, name="resume_webhook"),
    path("<num:webhook_id>/remove", webhooks.remove_webhook, name="remove_webhook"),
    path(
        "<num:webhook_id>/deliveries/<num:delivery_id>/again",
        webhooks.send_again,
        name="send_again",
    ),
]
matter_urls = [
    path("", fair_play.club_fair_play, name="club_fair_play"),
    path("open", fair_play.open_matter, name="open_matter"),
]
club_daily_urls = [
    path("", daily.daily, name="club_daily"),
    path("hour", daily.choose_hour, name="choose_daily_hour"),
    path("results.atom", daily.daily_feed, name="club_daily_feed"),
    path("<day:day>/", daily.daily_day, name="club_daily_day"),
    path("<day:day>/begin", daily.begin, name="club_daily_begin"),
    path("<day:day>/table/", daily.day_places, name="club_daily_places"),
    path("<day:day>/picture.png", daily.day_picture, name="club_daily_picture"),
    path("<month:month>/", daily.month_table, name="club_daily_month"),
]
club_urls: Urls = [
    path("", clubs.club_page, name="club"),
    path("daily/", include(club_daily_urls)),
    path("call", club_calls.call_club, name="call_club"),
    path("calls/<num:call_id>/join", club_calls.join_call, name="join_call"),
    path("calls/<num:call_id>/end", club_calls.end_call, name="end_call"),
    path("settings/", clubs.club_settings, name="club_settings"),
    path("link", clubs.renew_link, name="renew_club_link"),
    path("delete", clubs.delete_club, name="delete_club"),
    path("join", clubs.join_club, name="join_club"),
    path("join/<str:key>/", clubs.follow_invitation, name="club_invitation"),
    path("leave", clubs.leave_club, name="leave_club"),
    path("requests/take-back", clubs.take_back_request, name="take_back_request"),
    path("requests/<num:request_id>/accept", clubs.accept_request, name="accept_request"),
    path("requests/<num:request_id>/decline", clubs.decline_request, name="decline_request"),
    path("members/", include(member_urls)),
    path("list/", include(list_urls)),
    path("invited/<slug:key>/", importing.list_invitation, name="list_invitation"),
    path("rules/", include(rules_urls)),
    path("hall-of-fame/", seasons.hall_of_fame, name="hall_of_fame"),
    path("past-results/", include(past_result_urls)),
    path("seasons/", seasons.present_season, name="club_seasons"),
    path("seasons/new/", seasons.new_season, name="new_season"),
    path("seasons/<num:season_id>/", include(season_urls)),
    path("webhooks/", include(webhook_urls)),
    path("fair-play/", include(matter_urls)),
    path("statistics/", statistics.statistics, name="club_statistics"),
    path("years/<num:year>/", seasons.year_page, name="club_year"),
    path("years/<num:year>/table.csv", seasons.year_csv, name="year_csv"),
    path("events/new/", setting_up.new_event, name="new_event"),
    path("events/plan/", setting_up.plan_night, name="plan_night"),
    path("events/house-players", console.watch_house_players, name="watch_house_players"),
    path("calendar.ics", calendar.club_calendar, name="club_calendar"),
    path("results.atom", sharing.club_results_feed, name="club_results_feed"),
    path("preview.png", sharing.club_picture, name="club_picture"),
    path("frame/", sharing.club_frame, name="club_frame"),
    path("news", clubs.club_news, name="club_news"),
    path("announce/", clubs.announce, name="announce"),
    path("announcements/", clubs.club_announcements, name="club_announcements"),
    path("announcements/<num:announcement_id>/remove", clubs.take_down, name="take_down"),
]
round_urls = [
    path("", event_page.event_round, name="event_round"),
    path("deals/", event_page.event_deals, name="event_deals"),
    path("tables/<num:table>/", event_page.event_visit, name="event_visit"),
]
print_urls = [
    path("", paper.index, name="print_event"),
    path("score-cards/", paper.score_cards, name="print_score_cards"),
    path("table-cards/", paper.table_cards, name="print_table_cards"),
    path("walk-in-cards/", paper.walk_in_cards, name="print_walk_in_cards"),
    path("door/", paper.door, name="print_door"),
    path("check-in/", paper.check_in, name="print_check_in"),
    path("movement-cards/", paper.movement_cards, name="print_movement_cards"),
    path("rounds/<num:number>/pairings/", paper.pairings, name="print_pairings"),
    path("rounds/<num:number>/results/", paper.results, name="print_results"),
    path("standings/", paper.standings, name="print_standings"),
    path("money/", paper.money, name="print_money"),
    path("bracket/", paper.bracket, name="print_bracket"),
]
manage_urls: Urls = [
    path("", console.manage_event, name="manage_event"),
    path("record.csv", console.event_record, name="event_record"),
    path("import/", importing.import_entries, name="import_entries"),
    path("door/", door.door, name="door"),
    path("people/", people.find_people, name="find_people"),
    path("apart/", apart_views.keep_apart, name="keep_apart"),
    path("apart/<num:apart_id>/remove", apart_views.no_longer_apart, name="no_longer_apart"),
    path("wrong/", wrong.something_wrong, name="something_wrong"),
    path("rounds/<num:number>/results/", results.enter_results, name="enter_results"),
    path("rounds/<num:number>/tables/<num:table>/", console.set_result, name="set_result"),
    path(
        "rounds/<num:number>/tables/<num:table>/answer",
        console.answer_call,
        name="answer_call",
    ),
    *(one for act in ACTS.values() for one in act.urls()),
]
event_urls: Urls = [
    path("", event_page.event, name="event"),
    path("edit/", setting_up.edit_event, name="edit_event"),
    path("publish", setting_up.publish_event, name="publish_event"),
    path("template", setting_up.keep_template, name="keep_template"),
    path("delete", setting_up.delete_event, name="delete_event"),
    path("end-series", setting_up.stop_series, name="stop_series"),
    path("entering/", entering.entering_now, name="entering"),
    path("register", entering.register, name="register"),
    path("withdraw", entering.withdraw, name="withdraw"),
    path("check-in", entering.check_in, name="check_in"),
    path("card/", entering.check_in_card, name="check_in_card"),
    path("partner", entering.ask_partner, name="ask_partner"),
    path("partner/find", entering.find_partner, name="find_partner"),
    path("partner/seek", entering.seek_partner, name="seek_partner"),
    path("partner/ask/<num:player_id>", entering.ask_seeker, name="ask_seeker"),
    path("partner/<num:entry_id>/accept", entering.accept_partner, name="accept_partner"),
    path("partner/<num:entry_id>/decline", entering.decline_partner, name="decline_partner"),
    path("rounds/<num:number>/", include(round_urls)),
    path("call", event_page.call_director, name="call_director"),
    path("call/take-back", event_page.take_back_call, name="take_back_call"),
    path("bracket/", event_page.event_bracket, name="event_bracket"),
    path("standings/", event_page.event_standings, name="event_standings"),
    path("export/<str:what>.<str:kind>", event_page.event_export, name="event_export"),
    path("chat/", webhooks.chat_texts, name="chat_texts"),
    path("money/", money.event_money, name="event_money"),
    path("projector/", projector.projector, name="projector"),
    path("fair-play/", fair_play.event_fair_play, name="event_fair_play"),
    path("print/", include(print_urls)),
    path("acts/", console.event_acts, name="event_acts"),
    path("acts/<num:act_id>/undo/", console.undo_act, name="undo_act"),
    path("manage/", include(manage_urls)),
    path("ratings/", ratings.event_ratings, name="event_ratings"),
    path("preview.png", sharing.event_picture, name="event_picture"),
    path("frame/", sharing.event_frame, name="event_frame"),
]
player_urls = [
    path("", statistics.player_page, name="player"),
    path("ratings/<slug:pool_slug>/", ratings.player_rating, name="player_rating"),
    path("record/", statistics.player_record, name="player_record"),
    path("games/", statistics.player_games, name="player_games"),
    path("and/", statistics.choose_other, name="choose_other"),
    path("and/<num:other_id>/", statistics.head_to_head, name="head_to_head"),
    path("compare/", statistics.compare, name="player_compare"),
]
room_table_urls = [
    path("", room_scores.room_table, name="room_table"),
    path("side", room_scores.choose_side, name="choose_side"),
    path("director", room_scores.call_director, name="call_to_room_table"),
    path("write", room_scores.write_score, name="write_score"),
]
your_matter_urls = [
    path("", fair_play.your_matters, name="your_matters"),
    path("<num:matter_id>/", fair_play.your_matter, name="your_matter"),
    path("<num:matter_id>/answer", fair_play.answer_matter, name="answer_matter"),
]
daily_urls = [
    path("", daily.daily, name="daily"),
    path("tell-me", daily.tell_me, name="daily_tell_me"),
    path("results.atom", daily.daily_feed, name="daily_feed"),
    path("<day:day>/", daily.daily_day, name="daily_day"),
    path("<day:day>/begin", daily.begin, name="daily_begin"),
    path("<day:day>/table/", daily.day_places, name="daily_places"),
    path("<day:day>/picture.png", daily.day_picture, name="daily_picture"),
    path("<month:month>/", daily.month_table, name="daily_month"),
]
urlpatterns = [
    path("daily/", include(daily_urls)),
    path("search/", search.search, name="search"),
    path("clubs/", clubs.club_list, name="club_list"),
    path("clubs/new/", clubs.new_club, name="new_club"),
    path("clubs/<slug:slug>/", include(club_urls)),
    path("play/call/", club_calls.call_clubs, name="call_clubs"),
    path("events/", calendar.event_list, name="event_list"),
    path("events/<num:event_id>/", include(event_urls)),
    path("here/<str:here_code>/", door.check_in_by_code, name="check_in_by_code"),
    path("claim/", attendance.walk_in, name="walk_in_code"),
    path("claim/<str:code>/", attendance.walk_in, name="walk_in"),
    path("join/", joining.join, name="join_event"),
    path("join/<str:code>/", joining.join, name="join_by_code"),
    path("join/<str:code>/here/", joining.here, name="here_by_code"),
    path("t/worker.js", room_scores.score_worker, name="score_worker"),
    path("t/<str:table_code>/", include(room_table_urls)),
    path("screen/<str:code>/", projector.projector_by_code, name="projector_by_code"),
    path("formats/", guide.format_list, name="format_list"),
    path("formats/<slug:format_key>/", guide.format_page, name="format"),
    path("players/<num:player_id>/", include(player_urls)),
    path("ratings/", ratings.ratings, name="ratings"),
    path("ratings/how/", ratings.how, name="ratings_how"),
    path("ratings/<slug:pool_slug>/", ratings.leaderboard, name="leaderboard"),
    path("games/<uuid:game_id>/ratings/", ratings.game_ratings, name="game_ratings"),
    path("you/events/", calendar.your_events, name="your_events"),
    path("you/events/calendar", calendar.renew_calendar, name="renew_calendar"),
    path("you/fair-play/", include(your_matter_urls)),
    path("calendar/<slug:token>.ics", calendar.player_calendar, name="player_calendar"),
]
