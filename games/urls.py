"""URLs of the lobby, tables and games."""

from django.urls import include, path

from games.analysis import board_views as analysis
from games.analysis import moment_views, paste_views, setup_views
from games.fairness import views as fairness
from games.friends import views as friends
from games.guide import views as guide
from games.hints import views as hints
from games.lessons import views as lessons
from games.play import views as play
from games.programs import views as programs
from games.puzzles import rush_views
from games.puzzles import views as puzzles
from games.puzzles.feed import PuzzleFeed
from games.quick import views as quick
from games.records import views as records
from games.review import views as review
from games.seats import views as seats
from games.sharing import views as sharing
from games.talk import views as talk

table_urls = [
    path("", play.table_page, name="table"),
    path("act", play.act, name="act"),
    path("sit", seats.sit, name="sit"),
    path("ask", seats.ask, name="ask"),
    path("ask-no-more", seats.ask_no_more, name="ask_no_more"),
    path("answer", seats.answer, name="answer"),
    path("stand", seats.stand, name="stand"),
    path("leave", seats.leave, name="leave_game"),
    path("resign", seats.resign, name="resign"),
    path("hint", hints.hint, name="hint"),
    path("claim", seats.claim, name="claim"),
    path("undo", seats.undo, name="undo"),
    path("consent", seats.consent_to, name="consent"),
    path("withdraw", seats.withdraw, name="withdraw_proposal"),
    path("start", seats.start, name="start"),
    path("stand-in", seats.stand_in, name="stand_in"),
    path("take-back", seats.take_back, name="take_back"),
    path("watching", seats.watching, name="watching"),
    path("again", seats.again, name="again"),
    path("say", talk.say, name="say"),
    path("talk/mute", talk.mute, name="mute"),
    path("talk/unmute", talk.unmute, name="unmute"),
    path("talk/friend", talk.befriend, name="befriend_at_table"),
    path("talk/person/<num:seat>", talk.person_menu, name="person_menu"),
    path("talk/avoid", talk.avoid, name="avoid_at_table"),
    path("talk/report/<slug:reason>", talk.report, name="report_line"),
    path("join/<str:token>/", seats.join, name="join"),
]
game_urls = [
    path("", records.finished_game, name="game"),
    path("preview.png", sharing.game_picture, name="game_picture"),
    path("record.json", records.record_file, name="game_record"),
    path("game.egn", records.converted_file, {"to": "egn"}, name="game_egn"),
    path("game.ptn", records.converted_file, {"to": "ptn"}, name="game_ptn"),
    path("replay/", records.replay, name="replay"),
    path("analyse", moment_views.analyse_game, name="analyse_game"),
    path("review/", review.review, name="review"),
    path("review/progress", review.review_progress, name="review_progress"),
    path("verify/", fairness.verify, name="verify"),
    path("again", friends.again_with, name="again_with"),
    path("company", friends.company, name="company"),
]
urlpatterns = [
    path("rules/", guide.rules, name="rules"),
    path("rules/<slug:name>/", guide.rule_set, name="rule_set"),
    path("rules/<slug:name>/<slug:example>/", guide.rule_example, name="rule_example"),
    path("learn/", lessons.lessons, name="lessons"),
    path("learn/<slug:slug>/", lessons.lesson, name="lesson"),
    path("learn/<slug:slug>/<num:number>/", lessons.step, name="lesson_step"),
    path("play/", seats.lobby_page, name="lobby"),
    path("play/now/", quick.play_now, name="play_now"),
    path("play/seat/", quick.seat_page, name="quick_seat"),
    path("play/seat/start", quick.start_now, name="quick_start"),
    path("play/seat/friendly", quick.play_friendly, name="quick_friendly"),
    path("play/seat/leave", quick.leave, name="quick_leave"),
    path("tables/new/", seats.new_table, name="new_table"),
    path("tables/practice", seats.practise, name="practise"),
    path("tables/<num:table_id>/", include(table_urls)),
    path("games/<uuid:game_id>/", include(game_urls)),
    path("fairness/verify/", fairness.verify_file, name="verify_file"),
    path("fairness/bower_verify.py", fairness.verify_script, name="verify_script"),
    path("fairness/log/", fairness.log_page, name="fairness_log"),
    path("fairness/log.ndjson", fairness.log_lines, name="log_lines"),
    path("fairness/log/<uuid:match>.ndjson", fairness.match_log, name="match_log"),
    path("replay/", records.replay_file, name="replay_file"),
    path("replay/file/", records.replayed_file, name="replayed_file"),
    path("replay/file/<num:number>/", records.replayed_file, name="replayed_game"),
    path(
        "replay/file/<num:number>/game.ptn",
        records.replayed_file,
        {"as_ptn": True},
        name="replayed_ptn",
    ),
    path("analysis/board/", analysis.board_page, name="analysis_board"),
    path("analysis/board/worth", analysis.worth, name="analysis_worth"),
    path("analysis/board/ask", analysis.ask, name="analysis_ask"),
    path("analysis/board/stop", analysis.stop, name="analysis_stop"),
    path("analysis/board/play", analysis.play_on, name="analysis_play"),
    path("analysis/board/open", analysis.open_line, name="analysis_open_line"),
    path("replay/file/<num:number>/analyse", moment_views.analyse_file, name="analyse_file"),
    path("analysis/", setup_views.set_up, name="analysis"),
    path("analysis/paste/", paste_views.paste, name="analysis_paste"),
    path("puzzles/", puzzles.puzzles, name="puzzles"),
    path("puzzles/next/", puzzles.next_puzzle, name="next_puzzle"),
    path("puzzles/set/<num:number>/", puzzles.set_puzzle, name="set_puzzle"),
    path("puzzles/own/", puzzles.next_own, name="next_own"),
    path("puzzles/<num:puzzle_id>/", puzzles.puzzle, name="puzzle"),
    path("puzzles/rush/", rush_views.rush, name="rush"),
    path("puzzles/rush/start", rush_views.start_rush, name="start_rush"),
    path("puzzles/feed/", PuzzleFeed(), name="puzzle_feed"),
    path("play/avoid", quick.avoid, name="avoid"),
    path("play/meet-again", quick.meet_again, name="meet_again"),
    path("you/apart/", quick.kept_apart, name="kept_apart"),
    path("you/friends/", friends.friends_page, name="friends"),
    path("you/friends/seen", friends.choose_seen_by, name="seen_by"),
    path("you/friends/invite", friends.invite, name="invite"),
    path("you/friends/online/", friends.online_part, name="friends_online"),
    path("you/invitations/", friends.invitations_part, name="invitations"),
    path("you/invitations/decline", friends.decline_invitation, name="decline_invitation"),
    path("you/friends/ask", friends.ask, name="ask_friend"),
    path("you/friends/accept", friends.accept, name="accept_friend"),
    path("you/friends/decline", friends.decline, name="decline_friend"),
    path("you/friends/withdraw", friends.withdraw, name="withdraw_friend"),
    path("you/friends/end", friends.end, name="end_friend"),
    path("you/programs/", programs.programs_page, name="programs"),
    path("you/programs/<num:player_id>/token", programs.renew_program, name="renew_program"),
    path("you/programs/<num:player_id>/rename", programs.rename_program, name="rename_program"),
    path("you/programs/<num:player_id>/retire", programs.retire_program, name="retire_program"),
    path("you/tokens/", programs.tokens_page, name="tokens"),
    path("you/tokens/<num:token_id>/revoke", programs.revoke_token, name="revoke_token"),
]
