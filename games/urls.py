"""URLs of the lobby, tables and games."""

from django.urls import path

from games.fairness import views as fairness
from games.guide import views as guide
from games.lessons import views as lessons
from games.play import views as play
from games.programs import views as programs
from games.quick import views as quick
from games.records import views as records
from games.review import puzzle_views as puzzles
from games.review import views as review
from games.seats import views as seats
from games.sharing import views as sharing

urlpatterns = [
    path("rules/", guide.rules, name="rules"),
    path("rules/<slug:name>/", guide.rule_set, name="rule_set"),
    path("learn/", lessons.lessons, name="lessons"),
    path("learn/<slug:slug>/", lessons.lesson, name="lesson"),
    path("learn/<slug:slug>/<int:number>/", lessons.step, name="lesson_step"),
    path("play/", seats.lobby_page, name="lobby"),
    path("play/now/", quick.play_now, name="play_now"),
    path("play/seat/", quick.seat_page, name="quick_seat"),
    path("play/seat/start", quick.start_now, name="quick_start"),
    path("play/seat/leave", quick.leave, name="quick_leave"),
    path("tables/new/", seats.new_table, name="new_table"),
    path("tables/<int:table_id>/", play.table_page, name="table"),
    path("tables/<int:table_id>/act", play.act, name="act"),
    path("tables/<int:table_id>/sit", seats.sit, name="sit"),
    path("tables/<int:table_id>/ask", seats.ask, name="ask"),
    path("tables/<int:table_id>/ask-no-more", seats.ask_no_more, name="ask_no_more"),
    path("tables/<int:table_id>/answer", seats.answer, name="answer"),
    path("tables/<int:table_id>/stand", seats.stand, name="stand"),
    path("tables/<int:table_id>/leave", seats.leave, name="leave_game"),
    path("tables/<int:table_id>/resign", seats.resign, name="resign"),
    path("tables/<int:table_id>/claim", seats.claim, name="claim"),
    path("tables/<int:table_id>/undo", seats.undo, name="undo"),
    path("tables/<int:table_id>/consent", seats.consent_to, name="consent"),
    path("tables/<int:table_id>/withdraw", seats.withdraw, name="withdraw_proposal"),
    path("tables/<int:table_id>/start", seats.start, name="start"),
    path("tables/<int:table_id>/stand-in", seats.stand_in, name="stand_in"),
    path("tables/<int:table_id>/take-back", seats.take_back, name="take_back"),
    path("tables/<int:table_id>/again", seats.again, name="again"),
    path("tables/<int:table_id>/join/<str:token>/", seats.join, name="join"),
    path("games/<uuid:game_id>/", records.finished_game, name="game"),
    path("games/<uuid:game_id>/preview.png", sharing.game_picture, name="game_picture"),
    path("games/<uuid:game_id>/record.json", records.record_file, name="game_record"),
    path("games/<uuid:game_id>/game.egn", records.egn_file, name="game_egn"),
    path("games/<uuid:game_id>/replay/", records.replay, name="replay"),
    path("games/<uuid:game_id>/review/", review.review, name="review"),
    path("games/<uuid:game_id>/review/progress", review.review_progress, name="review_progress"),
    path("games/<uuid:game_id>/verify/", fairness.verify, name="verify"),
    path("fairness/verify/", fairness.verify_file, name="verify_file"),
    path("fairness/bower_verify.py", fairness.verify_script, name="verify_script"),
    path("fairness/log/", fairness.log_page, name="fairness_log"),
    path("fairness/log.ndjson", fairness.log_lines, name="log_lines"),
    path("fairness/log/<uuid:match>.ndjson", fairness.match_log, name="match_log"),
    path("replay/", records.replay_file, name="replay_file"),
    path("replay/file/", records.replayed_file, name="replayed_file"),
    path("replay/file/<int:number>/", records.replayed_file, name="replayed_game"),
    path("puzzles/", puzzles.next_puzzle, name="puzzles"),
    path("puzzles/<int:puzzle_id>/", puzzles.puzzle, name="puzzle"),
    path("play/avoid", quick.avoid, name="avoid"),
    path("play/meet-again", quick.meet_again, name="meet_again"),
    path("you/apart/", quick.kept_apart, name="kept_apart"),
    path("you/programs/", programs.programs_page, name="programs"),
    path("you/programs/<int:player_id>/token", programs.renew_program, name="renew_program"),
    path("you/programs/<int:player_id>/rename", programs.rename_program, name="rename_program"),
    path("you/programs/<int:player_id>/retire", programs.retire_program, name="retire_program"),
    path("you/tokens/", programs.tokens_page, name="tokens"),
    path("you/tokens/<int:token_id>/revoke", programs.revoke_token, name="revoke_token"),
]
