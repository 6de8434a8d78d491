"""The addresses of home, lobby, tables and games."""

from django.urls import path

from games.views import finished, home, lobby, programs, replays, seating, table, tokens

urlpatterns = [
    path("", home.home, name="home"),
    path("rules/", home.rules, name="rules"),
    path("play/", lobby.lobby_page, name="lobby"),
    path("play/now/", lobby.play_now, name="play_now"),
    path("tables/new/", lobby.new_table, name="new_table"),
    path("tables/<int:table_id>/", table.table_page, name="table"),
    path("tables/<int:table_id>/act", table.act, name="act"),
    path("tables/<int:table_id>/sit", seating.sit, name="sit"),
    path("tables/<int:table_id>/stand", seating.stand, name="stand"),
    path("tables/<int:table_id>/start", seating.start, name="start"),
    path("tables/<int:table_id>/stand-in", seating.stand_in, name="stand_in"),
    path("tables/<int:table_id>/take-back", seating.take_back, name="take_back"),
    path("tables/<int:table_id>/again", seating.again, name="again"),
    path("tables/<int:table_id>/join/<str:token>/", seating.join, name="join"),
    path("games/<uuid:game_id>/", finished.finished_game, name="game"),
    path("games/<uuid:game_id>/record.json", replays.record_file, name="game_record"),
    path("games/<uuid:game_id>/game.egn", replays.egn_file, name="game_egn"),
    path("games/<uuid:game_id>/replay/", replays.replay, name="replay"),
    path("replay/", replays.replay_file, name="replay_file"),
    path("replay/file/", replays.replayed_file, name="replayed_file"),
    path("you/programs/", programs.programs_page, name="programs"),
    path("you/programs/<int:player_id>/token", programs.renew_program, name="renew_program"),
    path("you/programs/<int:player_id>/rename", programs.rename_program, name="rename_program"),
    path("you/programs/<int:player_id>/retire", programs.retire_program, name="retire_program"),
    path("you/tokens/", tokens.tokens_page, name="tokens"),
    path("you/tokens/<int:token_id>/revoke", tokens.revoke_token, name="revoke_token"),
]
