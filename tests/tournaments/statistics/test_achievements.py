"""Achievements of a profile, and the share of games finished that shames nobody."""

from dataclasses import replace

import pytest
from django.utils import timezone

from games.models import Performance, Player, Proposal
from games.records import game_lists, performances
from games.records.sums import totals_of
from tests.factories import member, play_out, table
from tournaments.statistics import achievements
from tournaments.statistics.achievements import achievements_of, share_finished

pytestmark = pytest.mark.django_db


@pytest.fixture
def two() -> tuple[Player, Player]:
    """Maeve and her partner Ben, who have finished a game against the house."""
    maeve, ben = member("Maeve"), member("Ben")
    play_out(table(maeve, ben, house_seats=(1, 3)), by="person")
    performances.record_ended()
    return maeve, ben


def titles(player: Player, **figures: int) -> list[tuple[str, str]]:
    rows = game_lists.rows_of(player)
    none = {"alone_marched": 0, "lone_euchres": 0}
    return [*achievements_of(rows, replace(totals_of(rows), **none | figures))]


def test_lone_marches(two: tuple[Player, Player]) -> None:
    assert titles(two[0]) == []
    assert titles(two[0], alone_marched=1) == [("Lone march", "All five tricks alone, once")]
    assert titles(two[0], alone_marched=3) == [("Lone march", "All five tricks alone, 3 times")]


def test_euchres_of_a_lone_hand(two: tuple[Player, Player]) -> None:
    title = "Euchre of a lone hand"
    for number, words in ((1, "once"), (2, "2 times")):
        stopped = f"Stopped a player who went alone, {words}"
        assert titles(two[0], lone_euchres=number) == [(title, stopped)]


def test_many_games_with_one_partner(
    two: tuple[Player, Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    maeve, ben = two
    monkeypatch.setattr(achievements, "WITH_ONE", 1)
    assert titles(maeve) == [("1 games with one partner", "Ben")]
    for hidden in ({"former": True, "user": None}, {"kind": "house", "user": None}):
        Player.objects.filter(pk=ben.pk).update(**hidden)
        assert titles(maeve) == []


def test_only_a_good_share_is_shown(two: tuple[Player, Player]) -> None:
    maeve, _ = two
    assert share_finished(maeve, 19) is None
    assert share_finished(maeve, 20) == 100
    game = Performance.objects.filter(player=maeve)[0].game
    assert game is not None
    Proposal.objects.create(
        game=game, kind="leave", position=0, player=maeve, until=timezone.now(), deal_number=1,
        version=1, cards=0, state="agreed",
    )  # fmt: skip
    assert share_finished(maeve, 20) == 95
    assert share_finished(maeve, 1000) == 99
    Proposal.objects.update(player=two[1])
    assert share_finished(maeve, 20) == 100
