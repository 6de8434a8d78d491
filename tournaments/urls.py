"""URLs of clubs and events."""

from django.urls import URLPattern, path

from tournaments.attendance import views as attendance
from tournaments.calendar import views as calendar
from tournaments.clubs import call_views as club_calls
from tournaments.clubs import views as clubs
from tournaments.directing import (
    apart_views,
    check_in_views,
    entry_views,
    round_views,
    walk_in_views,
)
from tournaments.directing import people_views as people
from tournaments.directing import views as directing
from tournaments.directing import wrong_views as wrong
from tournaments.entering import views as entering
from tournaments.event_page import views as event_page
from tournaments.fair_play import views as fair_play
from tournaments.guide import views as guide
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

urlpatterns: list[URLPattern] = [
    path("search/", search.search, name="search"),
    path("clubs/", clubs.club_list, name="club_list"),
    path("clubs/new/", clubs.new_club, name="new_club"),
    path("clubs/<slug:slug>/", clubs.club_page, name="club"),
    path("play/call/", club_calls.call_clubs, name="call_clubs"),
    path("clubs/<slug:slug>/call", club_calls.call_club, name="call_club"),
    path("clubs/<slug:slug>/calls/<num:call_id>/join", club_calls.join_call, name="join_call"),
    path("clubs/<slug:slug>/calls/<num:call_id>/end", club_calls.end_call, name="end_call"),
    path("clubs/<slug:slug>/settings/", clubs.club_settings, name="club_settings"),
    path("clubs/<slug:slug>/link", clubs.renew_link, name="renew_club_link"),
    path("clubs/<slug:slug>/delete", clubs.delete_club, name="delete_club"),
    path("clubs/<slug:slug>/join", clubs.join_club, name="join_club"),
    path("clubs/<slug:slug>/join/<str:key>/", clubs.follow_invitation, name="club_invitation"),
    path("clubs/<slug:slug>/leave", clubs.leave_club, name="leave_club"),
    path("clubs/<slug:slug>/members/", clubs.club_members, name="club_members"),
    path("clubs/<slug:slug>/members/director", clubs.name_director, name="name_director"),
    path("clubs/<slug:slug>/members/<num:player_id>/role", clubs.set_role, name="set_role"),
    path("clubs/<slug:slug>/members/<num:player_id>/own", clubs.hand_over, name="hand_over"),
    path(
        "clubs/<slug:slug>/members/<num:player_id>/remove",
        clubs.remove_member,
        name="remove_member",
    ),
    path(
        "clubs/<slug:slug>/requests/take-back",
        clubs.take_back_request,
        name="take_back_request",
    ),
    path(
        "clubs/<slug:slug>/requests/<num:request_id>/accept",
        clubs.accept_request,
        name="accept_request",
    ),
    path(
        "clubs/<slug:slug>/requests/<num:request_id>/decline",
        clubs.decline_request,
        name="decline_request",
    ),
    path("clubs/<slug:slug>/list/", importing.members_list, name="members_list"),
    path("clubs/<slug:slug>/list/members.csv", importing.members_csv, name="members_csv"),
    path("clubs/<slug:slug>/list/take-back", importing.take_back_list, name="take_back_list"),
    path(
        "clubs/<slug:slug>/list/<num:listed_id>/remove",
        importing.remove_listed,
        name="remove_listed",
    ),
    path(
        "clubs/<slug:slug>/invited/<slug:key>/",
        importing.list_invitation,
        name="list_invitation",
    ),
    path("clubs/<slug:slug>/rules/", clubs.rules_list, name="club_rules"),
    path("clubs/<slug:slug>/rules/new/", clubs.new_rules, name="new_club_rules"),
    path("clubs/<slug:slug>/rules/<num:rules_id>/", clubs.edit_rules, name="edit_club_rules"),
    path(
        "clubs/<slug:slug>/rules/<num:rules_id>/delete",
        clubs.delete_rules,
        name="delete_club_rules",
    ),
    path("clubs/<slug:slug>/seasons/", seasons.present_season, name="club_seasons"),
    path("clubs/<slug:slug>/hall-of-fame/", seasons.hall_of_fame, name="hall_of_fame"),
    path("clubs/<slug:slug>/past-results/", seasons.past_results, name="past_results"),
    path(
        "clubs/<slug:slug>/past-results/past-results.csv",
        seasons.past_results_csv,
        name="past_results_csv",
    ),
    path(
        "clubs/<slug:slug>/past-results/import/",
        importing.import_past_results,
        name="import_past_results",
    ),
    path(
        "clubs/<slug:slug>/past-results/take-back",
        importing.take_back_past_results,
        name="take_back_past_results",
    ),
    path("clubs/<slug:slug>/seasons/new/", seasons.new_season, name="new_season"),
    path("clubs/<slug:slug>/seasons/<num:season_id>/", seasons.season_page, name="club_season"),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/edit/",
        seasons.edit_season,
        name="edit_season",
    ),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/delete",
        seasons.delete_season,
        name="delete_season",
    ),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/table.csv",
        seasons.season_csv,
        name="season_csv",
    ),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/divisions/",
        divisions.season_divisions,
        name="season_divisions",
    ),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/divisions/players/",
        divisions.place_players,
        name="place_players",
    ),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/next/",
        divisions.next_season,
        name="next_season",
    ),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/teams/",
        team_views.season_teams,
        name="season_teams",
    ),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/teams/<num:team_id>/",
        team_views.season_team,
        name="season_team",
    ),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/play-offs/",
        play_offs.make_play_offs,
        name="make_play_offs",
    ),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/rule/",
        seasons.season_rule,
        name="season_rule",
    ),
    path(
        "clubs/<slug:slug>/seasons/<num:season_id>/rule/<num:change_id>/put-back",
        seasons.put_back_rule,
        name="put_back_rule",
    ),
    path("clubs/<slug:slug>/webhooks/", webhooks.club_webhooks, name="club_webhooks"),
    path("clubs/<slug:slug>/webhooks/<num:webhook_id>/", webhooks.webhook_page, name="webhook"),
    path(
        "clubs/<slug:slug>/webhooks/<num:webhook_id>/test",
        webhooks.test_webhook,
        name="test_webhook",
    ),
    path(
        "clubs/<slug:slug>/webhooks/<num:webhook_id>/pause",
        webhooks.pause_webhook,
        name="pause_webhook",
    ),
    path(
        "clubs/<slug:slug>/webhooks/<num:webhook_id>/resume",
        webhooks.resume_webhook,
        name="resume_webhook",
    ),
    path(
        "clubs/<slug:slug>/webhooks/<num:webhook_id>/remove",
        webhooks.remove_webhook,
        name="remove_webhook",
    ),
    path(
        "clubs/<slug:slug>/webhooks/<num:webhook_id>/deliveries/<num:delivery_id>/again",
        webhooks.send_again,
        name="send_again",
    ),
    path("clubs/<slug:slug>/fair-play/", fair_play.club_fair_play, name="club_fair_play"),
    path("clubs/<slug:slug>/fair-play/open", fair_play.open_matter, name="open_matter"),
    path("clubs/<slug:slug>/fair-play/<num:matter_id>/", fair_play.matter, name="matter"),
    path(
        "clubs/<slug:slug>/fair-play/<num:matter_id>/act",
        fair_play.act_on_matter,
        name="act_on_matter",
    ),
    path("events/<num:event_id>/fair-play/", fair_play.event_fair_play, name="event_fair_play"),
    path("you/fair-play/", fair_play.your_matters, name="your_matters"),
    path("you/fair-play/<num:matter_id>/", fair_play.your_matter, name="your_matter"),
    path("you/fair-play/<num:matter_id>/answer", fair_play.answer_matter, name="answer_matter"),
    path("you/fair-play/<num:matter_id>/appeal", fair_play.appeal_matter, name="appeal_matter"),
    path("clubs/<slug:slug>/statistics/", statistics.statistics, name="club_statistics"),
    path("clubs/<slug:slug>/years/<num:year>/", seasons.year_page, name="club_year"),
    path("clubs/<slug:slug>/years/<num:year>/table.csv", seasons.year_csv, name="year_csv"),
    path("clubs/<slug:slug>/events/new/", setting_up.new_event, name="new_event"),
    path("events/", calendar.event_list, name="event_list"),
    path(
        "clubs/<slug:slug>/events/house-players",
        directing.watch_house_players,
        name="watch_house_players",
    ),
    path("events/<num:event_id>/", event_page.event, name="event"),
    path("events/<num:event_id>/edit/", setting_up.edit_event, name="edit_event"),
    path("events/<num:event_id>/publish", setting_up.publish_event, name="publish_event"),
    path("events/<num:event_id>/delete", setting_up.delete_event, name="delete_event"),
    path("events/<num:event_id>/end-series", setting_up.stop_series, name="stop_series"),
    path("events/<num:event_id>/entering/", entering.entering_now, name="entering"),
    path("events/<num:event_id>/register", entering.register, name="register"),
    path("events/<num:event_id>/withdraw", entering.withdraw, name="withdraw"),
    path("events/<num:event_id>/check-in", entering.check_in, name="check_in"),
    path("events/<num:event_id>/card/", entering.check_in_card, name="check_in_card"),
    path("here/<str:here_code>/", check_in_views.check_in_by_code, name="check_in_by_code"),
    path("events/<num:event_id>/partner", entering.ask_partner, name="ask_partner"),
    path("events/<num:event_id>/partner/find", entering.find_partner, name="find_partner"),
    path("events/<num:event_id>/partner/seek", entering.seek_partner, name="seek_partner"),
    path(
        "events/<num:event_id>/partner/ask/<num:player_id>",
        entering.ask_seeker,
        name="ask_seeker",
    ),
    path(
        "events/<num:event_id>/partner/<num:entry_id>/accept",
        entering.accept_partner,
        name="accept_partner",
    ),
    path(
        "events/<num:event_id>/partner/<num:entry_id>/decline",
        entering.decline_partner,
        name="decline_partner",
    ),
    path(
        "events/<num:event_id>/rounds/<num:number>/",
        event_page.event_round,
        name="event_round",
    ),
    path(
        "events/<num:event_id>/rounds/<num:number>/deals/",
        event_page.event_deals,
        name="event_deals",
    ),
    path(
        "events/<num:event_id>/rounds/<num:number>/tables/<num:table>/",
        event_page.event_visit,
        name="event_visit",
    ),
    path("events/<num:event_id>/call", event_page.call_director, name="call_director"),
    path(
        "events/<num:event_id>/call/take-back",
        event_page.take_back_call,
        name="take_back_call",
    ),
    path("events/<num:event_id>/bracket/", event_page.event_bracket, name="event_bracket"),
    path("events/<num:event_id>/standings/", event_page.event_standings, name="event_standings"),
    path(
        "events/<num:event_id>/export/<str:what>.<str:kind>",
        event_page.event_export,
        name="event_export",
    ),
    path("events/<num:event_id>/money/", money.event_money, name="event_money"),
    path(
        "events/<num:event_id>/money/entries/<num:entry_id>/paid",
        money.tick_paid,
        name="tick_paid",
    ),
    path("claim/", attendance.walk_in, name="walk_in_code"),
    path("claim/<str:code>/", attendance.walk_in, name="walk_in"),
    path("join/", joining.join, name="join_event"),
    path("join/<str:code>/", joining.join, name="join_by_code"),
    path("join/<str:code>/here/", joining.here, name="here_by_code"),
    path("t/worker.js", room_scores.score_worker, name="score_worker"),
    path("t/<str:table_code>/", room_scores.room_table, name="room_table"),
    path("t/<str:table_code>/side", room_scores.choose_side, name="choose_side"),
    path("t/<str:table_code>/director", room_scores.call_director, name="call_to_room_table"),
    path("t/<str:table_code>/write", room_scores.write_score, name="write_score"),
    path("screen/<str:code>/", projector.projector_by_code, name="projector_by_code"),
    path("events/<num:event_id>/projector/", projector.projector, name="projector"),
    path("events/<num:event_id>/print/", paper.index, name="print_event"),
    path("events/<num:event_id>/print/score-cards/", paper.score_cards, name="print_score_cards"),
    path("events/<num:event_id>/print/table-cards/", paper.table_cards, name="print_table_cards"),
    path(
        "events/<num:event_id>/print/walk-in-cards/",
        paper.walk_in_cards,
        name="print_walk_in_cards",
    ),
    path("events/<num:event_id>/print/check-in/", paper.check_in, name="print_check_in"),
    path(
        "events/<num:event_id>/print/movement-cards/",
        paper.movement_cards,
        name="print_movement_cards",
    ),
    path(
        "events/<num:event_id>/print/rounds/<num:number>/pairings/",
        paper.pairings,
        name="print_pairings",
    ),
    path(
        "events/<num:event_id>/print/rounds/<num:number>/results/",
        paper.results,
        name="print_results",
    ),
    path("events/<num:event_id>/print/standings/", paper.standings, name="print_standings"),
    path("events/<num:event_id>/print/money/", paper.money, name="print_money"),
    path("events/<num:event_id>/print/bracket/", paper.bracket, name="print_bracket"),
    path("events/<num:event_id>/acts/", directing.event_acts, name="event_acts"),
    path(
        "events/<num:event_id>/acts/<num:act_id>/undo/",
        directing.undo_act,
        name="undo_act",
    ),
    path("events/<num:event_id>/manage/", directing.manage_event, name="manage_event"),
    path("events/<num:event_id>/manage/record.csv", directing.event_record, name="event_record"),
    path(
        "events/<num:event_id>/manage/import/",
        importing.import_entries,
        name="import_entries",
    ),
    path("events/<num:event_id>/manage/people/", people.find_people, name="find_people"),
    path("events/<num:event_id>/manage/enter/", people.enter_people, name="enter_people"),
    path(
        "events/<num:event_id>/manage/seats/<num:seat_id>/substitute/",
        people.substitute,
        name="substitute",
    ),
    path("events/<num:event_id>/manage/apart/", apart_views.keep_apart, name="keep_apart"),
    path(
        "events/<num:event_id>/manage/apart/<num:apart_id>/remove",
        apart_views.no_longer_apart,
        name="no_longer_apart",
    ),
    path("events/<num:event_id>/manage/wrong/", wrong.something_wrong, name="something_wrong"),
    path("events/<num:event_id>/manage/pause", directing.pause_event, name="pause_event"),
    path("events/<num:event_id>/manage/resume", directing.resume_event, name="resume_event"),
    path("events/<num:event_id>/manage/extend", directing.extend_round, name="extend_round"),
    path("events/<num:event_id>/manage/end-round", directing.end_round, name="end_round"),
    path("events/<num:event_id>/manage/next-round", directing.next_round, name="next_round"),
    path("events/<num:event_id>/manage/final-now", directing.final_now, name="final_now"),
    path("events/<num:event_id>/manage/start", directing.start_event, name="start_event"),
    path("events/<num:event_id>/manage/cancel", directing.cancel_event, name="cancel_event"),
    path("events/<num:event_id>/manage/tell", directing.tell_event, name="tell_event"),
    path(
        "events/<num:event_id>/manage/house",
        directing.add_house_entries,
        name="add_house_entries",
    ),
    path(
        "events/<num:event_id>/manage/tables/<num:table>/code/",
        round_views.new_table_code,
        name="new_table_code",
    ),
    path(
        "events/<num:event_id>/manage/walk-ins/<num:walk_in_id>/code/",
        walk_in_views.new_code,
        name="new_walk_in_code",
    ),
    path(
        "events/<num:event_id>/manage/walk-ins/<num:walk_in_id>/name/",
        walk_in_views.change_name,
        name="change_walk_in_name",
    ),
    path(
        "events/<num:event_id>/manage/rounds/<num:number>/again/",
        round_views.draw_again,
        name="draw_again",
    ),
    path(
        "events/<num:event_id>/manage/rounds/<num:number>/take-back/",
        round_views.take_back_round,
        name="take_back_round",
    ),
    path(
        "events/<num:event_id>/manage/rounds/<num:number>/tables/<num:table>/",
        directing.set_result,
        name="set_result",
    ),
    path(
        "events/<num:event_id>/manage/rounds/<num:number>/tables/<num:table>/answer",
        directing.answer_call,
        name="answer_call",
    ),
    path(
        "events/<num:event_id>/manage/rounds/<num:number>/tables/<num:table>/move/",
        round_views.move_table,
        name="move_table",
    ),
    path(
        "events/<num:event_id>/manage/rounds/<num:number>/tables/<num:table>/again/",
        round_views.reopen_table,
        name="reopen_table",
    ),
    path(
        "events/<num:event_id>/manage/rounds/<num:number>/tables/<num:table>/time/",
        round_views.more_time,
        name="more_time",
    ),
    path(
        "events/<num:event_id>/manage/rounds/<num:number>/tables/<num:table>/five-minutes",
        round_views.five_minutes,
        name="five_minutes",
    ),
    path(
        "events/<num:event_id>/manage/rounds/<num:number>/tables/<num:table>/penalty/",
        round_views.penalty,
        name="penalty",
    ),
    path(
        "events/<num:event_id>/manage/rounds/<num:number>/tables/<num:table>/seats/",
        round_views.seats_by_hand,
        name="seats_by_hand",
    ),
    path(
        "events/<num:event_id>/manage/entries/<num:entry_id>/withdraw/",
        entry_views.withdraw_entry,
        name="withdraw_entry",
    ),
    path(
        "events/<num:event_id>/manage/entries/<num:entry_id>/put-back/",
        entry_views.put_back_entry,
        name="put_back_entry",
    ),
    path(
        "events/<num:event_id>/manage/entries/<num:entry_id>/check-in",
        directing.check_in_entry,
        name="check_in_entry",
    ),
    path("formats/", guide.format_list, name="format_list"),
    path("formats/<slug:format_key>/", guide.format_page, name="format"),
    path("players/<num:player_id>/", statistics.player_page, name="player"),
    path("ratings/", ratings.ratings, name="ratings"),
    path("ratings/how/", ratings.how, name="ratings_how"),
    path("ratings/waiting/", ratings.waiting, name="ratings_waiting"),
    path("ratings/<slug:pool_slug>/", ratings.leaderboard, name="leaderboard"),
    path(
        "players/<num:player_id>/ratings/<slug:pool_slug>/",
        ratings.player_rating,
        name="player_rating",
    ),
    path("events/<num:event_id>/ratings/", ratings.event_ratings, name="event_ratings"),
    path("games/<uuid:game_id>/ratings/", ratings.game_ratings, name="game_ratings"),
    path("players/<num:player_id>/record/", statistics.player_record, name="player_record"),
    path("players/<num:player_id>/games/", statistics.player_games, name="player_games"),
    path("players/<num:player_id>/and/", statistics.choose_other, name="choose_other"),
    path(
        "players/<num:player_id>/and/<num:other_id>/",
        statistics.head_to_head,
        name="head_to_head",
    ),
    path("players/<num:player_id>/compare/", statistics.compare, name="player_compare"),
    path("you/events/", calendar.your_events, name="your_events"),
    path("you/events/calendar", calendar.renew_calendar, name="renew_calendar"),
    path("calendar/<slug:token>.ics", calendar.player_calendar, name="player_calendar"),
    path("clubs/<slug:slug>/calendar.ics", calendar.club_calendar, name="club_calendar"),
    path("clubs/<slug:slug>/results.atom", sharing.club_results_feed, name="club_results_feed"),
    path("clubs/<slug:slug>/preview.png", sharing.club_picture, name="club_picture"),
    path("events/<num:event_id>/preview.png", sharing.event_picture, name="event_picture"),
    path("clubs/<slug:slug>/frame/", sharing.club_frame, name="club_frame"),
    path("events/<num:event_id>/frame/", sharing.event_frame, name="event_frame"),
    path("clubs/<slug:slug>/news", clubs.club_news, name="club_news"),
    path("clubs/<slug:slug>/announce/", clubs.announce, name="announce"),
    path(
        "clubs/<slug:slug>/announcements/",
        clubs.club_announcements,
        name="club_announcements",
    ),
    path(
        "clubs/<slug:slug>/announcements/<num:announcement_id>/remove",
        clubs.take_down,
        name="take_down",
    ),
]
