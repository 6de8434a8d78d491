"""A game of house players played to its end at once."""

from datetime import UTC, datetime
from random import Random

import pytest

from games.engine.rules import RuleSet
from games.models import Game, GameEvent, Table
from games.people.house_players import house_players
from games.play.playing_out import HAND, play_out
from games.records.finished import finished
from games.seats import reserved
from tests.chance import PUBLISHED
from tests.factories import player

pytestmark = pytest.mark.django_db

BEGAN = datetime(2026, 3, 7, 20, tzinfo=UTC)


@pytest.mark.parametrize("rules", PUBLISHED.values(), ids=PUBLISHED)
def test_it_reads_as_a_game_played_at_a_table(rules: RuleSet) -> None:
    house = house_players(rules.players)
    place = reserved.ReservedTable(house, "A demonstration", "/")
    (table,) = reserved.open_tables([place], rules, player("Greta"))
    reserved.begin(table.pk, 1, rules)
    game = play_out(Table.objects.get(pk=table.pk), Random(1), BEGAN)
    assert game.state == Game.State.OVER
    assert game.events.count() == game.version
    assert set(game.events.values_list("by", flat=True)) <= {
        GameEvent.By.HOUSE,
        GameEvent.By.CLOCK,
    }
    page = finished(game)
    assert page.score == (game.score_0, game.score_1)
    assert max(page.score) >= (rules.target or 0)
    assert page.rows[-1]["scores"][game.winner][0] == max(page.score)
    assert game.ended == BEGAN + HAND * len(page.rows)
