"""What is counted of a finished game, from its log; never from one that is played."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games.models import Game, GameEvent, Player
from tests.factories import member
from tests.tournaments.fair_play import playing
from tests.tournaments.fair_play.playing import measured, moment_after
from tournaments.fair_play import measuring, signs
from tournaments.fair_play.signs import SignScope
from tournaments.models import Club, FairPlayLook, FairPlayMeasure
from tournaments.tasks import measure_games

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture
def four() -> list[Player]:
    return [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]


def test_a_running_game_is_never_read(club: Club, four: list[Player]) -> None:
    event = playing.started_event(club, four)
    game = Game.objects.get(table__pairing__round__event=event)
    assert game.state == Game.State.PLAYING
    assert measuring.measure_ended(timezone.now() + timedelta(hours=1)) == 0
    # Nor one that is over whose match is not.
    Game.objects.update(state=Game.State.OVER, ended=timezone.now(), noted=True)
    assert measuring.measure_ended(timezone.now() + timedelta(minutes=1)) == 0
    assert not FairPlayMeasure.objects.exists()


def test_measuring_twice_keeps_one_row_per_player(club: Club, four: list[Player]) -> None:
    event = playing.played_event(club, four, turn_seconds=20)
    rows = measured(event)
    assert set(rows) == {"Maeve", "Ben", "Iris", "Jonah"}
    game = Game.objects.get()
    assert {row.game_id for row in rows.values()} == {game.pk}
    for row in rows.values():
        assert row.partner != row.player
        assert row.lost == (game.performances.get(player=row.player).result == -1)
        assert row.turns_behind + row.turns_level + row.turns_ahead > 0
        assert row.late_behind + row.late_level + row.late_ahead == 0
    FairPlayLook.objects.all().delete()
    measuring.measure_ended(moment_after(event))
    assert FairPlayMeasure.objects.count() == 4


def test_turns_near_the_end_of_the_clock_are_counted_by_the_score(
    club: Club, four: list[Player]
) -> None:
    def slow_behind(_seat: int, score: tuple[int, int]) -> float:
        return 18.0 if score[0] < score[1] else 3.0

    rows = measured(playing.played_event(club, four, turn_seconds=20, pace=slow_behind)).values()
    assert all(row.late_behind == row.turns_behind for row in rows)
    assert all(row.late_ahead == row.late_level == 0 for row in rows)
    assert sum(row.late_behind for row in rows) > 0
    assert sum(row.turns_ahead for row in rows) > 0


def test_without_a_clock_no_turn_is_counted(club: Club, four: list[Player]) -> None:
    event = playing.played_event(club, four, pace=lambda *_: 60.0)
    assert all(row.turns_level == 0 for row in measured(event).values())


def test_abandoned_seat_while_behind_is_counted(club: Club, four: list[Player]) -> None:
    scores: list[tuple[int, int]] = []

    def gone(seat: int, score: tuple[int, int]) -> bool:
        """North and south leave for good once the others have a point."""
        if seat % 2 == 0 and score[1]:
            scores.append(score)
        return seat % 2 == 0 and score[1] > 0

    rows = measured(playing.played_event(club, four, gone=gone))
    behind = bool(scores) and scores[0][0] < scores[0][1]
    seats = Game.objects.get().seats.select_related("player")
    left = {seat.player.name: behind and seat.position % 2 == 0 for seat in seats}
    assert {name: row.left_behind for name, row in rows.items()} == left


def test_the_figures_of_a_pair_are_those_of_its_calls(club: Club, four: list[Player]) -> None:
    event = playing.played_event(club, four, seed=2)
    rows = measured(event).values()
    for row in rows:
        assert row.calls <= 10
        assert (row.calls == 0) == (row.held_squares == 0)
    assert sum(row.calls for row in rows) > 0


def test_call_made_by_the_house_is_not_counted(club: Club, four: list[Player]) -> None:
    event = playing.played_event(club, four, gone=lambda *_: True)
    assert all(row.calls == 0 for row in measured(event).values())


def test_unreadable_log_is_reported_and_others_are_measured(
    club: Club, four: list[Player], capsys: pytest.CaptureFixture[str]
) -> None:
    event = playing.played_event(club, four)
    good = playing.played_event(club, four, name="Friday")
    broken = Game.objects.filter(table__pairing__round__event=event)
    GameEvent.objects.filter(game__in=broken, seq=3).update(action="play 9C")
    now = moment_after(good)
    assert measuring.measure_ended(now) == 2
    assert FairPlayMeasure.objects.filter(event=good).count() == 4
    seen = signs.seen(SignScope(club), None, now)
    assert (seen.failed, seen.unread, seen.games) == (1, 0, 1)
    # It is tried again after a day, and not before.
    assert measuring.measure_ended(now) == 0
    assert measuring.measure_ended(now + timedelta(days=1, minutes=1)) == 1


def test_task_measures_in_batches(club: Club, four: list[Player], monkeypatch: Any) -> None:
    playing.played_event(club, four)
    playing.played_event(club, four, name="Friday")
    now = timezone.now()
    assert signs.seen(SignScope(club), None, now).unread == 2
    assert measuring.measure_ended(now, most=1) == 1
    assert signs.seen(SignScope(club), None, now).unread == 1
    measure_games()
    assert FairPlayLook.objects.count() == 2


def test_signalling_partners_are_found_from_their_logs(club: Club, four: list[Player]) -> None:
    """Through all of it: played, stored, read, and seen by a moderator."""
    pair = {four[0]: playing.signalling, four[1]: playing.signalling}
    evenings = 4  # of 100 hands each
    for number in range(evenings):
        event = playing.played_event(
            club, four, styles=pair, seed=number, format="round_robin", minimum=2,
            match="deals", deals=100,
        )  # fmt: skip
    measured(event)
    seen = signs.seen(SignScope(club), None, moment_after(event))
    assert seen.games == evenings
    (sign,) = seen.signs
    assert {player.name for player in sign.players} == {"Maeve", "Ben"}
    assert len(sign.lines) == evenings
    assert "standard error" in sign.finding
    assert "Maeve" not in sign.finding
