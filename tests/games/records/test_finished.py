"""The page of a finished game: how it ended, the score sheet, the log, and who may read it."""

import pytest
from django.test import Client
from django.utils.html import strip_tags

from games.engine.rules import (
    CLASSIC_24,
    HEADS_UP,
    RULE_SETS,
    STICK_THE_DEALER,
    RuleSet,
)
from games.models import Game, Table
from games.picture import viewing
from games.records.finished import finished, markers
from tests.chance import PUBLISHED
from tests.factories import cast, finish, logged_in, play_out, player, table

pytestmark = pytest.mark.django_db


def played(rules: RuleSet = CLASSIC_24) -> Game:
    """A game that the cast has played out."""
    return play_out(table(*cast()[: rules.players], rules=rules))


@pytest.mark.parametrize("rules", PUBLISHED.values(), ids=PUBLISHED)
def test_the_score_sheet_has_a_row_for_each_deal_and_adds_up(rules: RuleSet) -> None:
    game = played(rules)
    sheet = finished(game)
    assert len(sheet.rows) == len(sheet.logs) == game.deal_number
    assert [row["number"] for row in sheet.rows] == list(range(1, game.deal_number + 1))
    for side in (0, 1):
        won = [row["scores"][side][1] for row in sheet.rows]
        assert [row["scores"][side][0] for row in sheet.rows] == [
            sum(won[: n + 1]) for n in range(len(won))
        ]
        assert sum(won) == sheet.score[side]


@pytest.mark.parametrize("rules", PUBLISHED.values(), ids=PUBLISHED)
def test_each_row_describes_its_deal(rules: RuleSet) -> None:
    game = played(rules)
    names = ["Maeve", "Ben", "Iris", "Jonah"]
    for row, deal in zip(finished(game).rows, viewing.deal_views(game.pk), strict=True):
        assert row["dealer"] == names[deal.dealer]
        assert row["maker"] == (names[deal.maker] if deal.maker >= 0 else "")
        assert (
            row["suit_name"]
            == ("", "clubs", "diamonds", "hearts", "spades")[
                deal.trump + 1 if deal.maker >= 0 else 0
            ]
        )
        assert row["alone"] == deal.alone


def test_the_page_shows_sheet_log_and_the_way_to_the_next_game() -> None:
    game = played()
    page = Client().get(f"/games/{game.pk}/").text
    text = " ".join(strip_tags(page).split())
    assert finished(game).headline in text
    assert text.count("is turned up") == game.deal_number
    assert f'href="/tables/{game.table_id}/"' in page
    assert "Play again with these people" not in page


def test_a_player_may_play_again_from_there() -> None:
    game = played()
    maeve = game.seats.get(position=0).player
    browser = logged_in(maeve)
    again = f'action="/tables/{game.table_id}/again"'
    assert again in browser.get(f"/games/{game.pk}/").text
    Table.objects.filter(pk=game.table_id).update(state=Table.State.CLOSED)
    assert again not in browser.get(f"/games/{game.pk}/").text


@pytest.mark.parametrize(
    ("winner", "score", "words"),
    [(0, (5, 2), "Maeve and Iris win, 5–2"), (1, (4, 6), "Ben and Jonah win, 6–4")],
)
def test_the_winners_score_comes_first(winner: int, score: tuple[int, int], words: str) -> None:
    game = finish(table(*cast()))
    game.winner, (game.score_0, game.score_1) = winner, score
    assert finished(game).headline == words


def test_a_single_winner_takes_the_singular() -> None:
    game = finish(table(*cast()[:2], rules=HEADS_UP))
    game.winner, game.score_1 = 1, 10
    assert finished(game).headline == "Ben wins, 10–0"


def test_a_tie_and_a_game_given_up_have_no_winner() -> None:
    game = finish(table(*cast()))
    game.score_0 = game.score_1 = 8
    assert finished(game).headline == "A tie, 8–8"
    game.state = Game.State.ABANDONED
    assert finished(game).headline == "Given up at 8–8"


def test_a_game_given_up_before_its_first_hand_was_over_has_an_empty_sheet() -> None:
    game = finish(table(*cast()))
    assert "No hand was played to its end." in Client().get(f"/games/{game.pk}/").text


@pytest.mark.parametrize(
    ("rules", "side", "points", "symbol"),
    [
        (STICK_THE_DEALER, 0, 0, "m10-0h"),
        (STICK_THE_DEALER, 1, 10, "m10-10s"),
        (STICK_THE_DEALER, 1, 11, ""),
        (CLASSIC_24, 0, 4, "m5-4h"),
        (CLASSIC_24, 0, 5, ""),
        (RULE_SETS["joker-33"], 0, 3, ""),
        (RuleSet(key="x", name="X", target=None, deals=8), 0, 3, ""),
    ],
)
def test_two_cards_keep_the_score_of_five_and_ten_point_games(
    rules: RuleSet, side: int, points: int, symbol: str
) -> None:
    assert markers(rules, side, points) == symbol


def test_a_game_still_played_is_at_its_table() -> None:
    at = table(*cast())
    response = Client().get(f"/games/{at.games.get().pk}/")
    assert (response.status_code, response["Location"]) == (302, f"/tables/{at.pk}/")


def test_a_game_at_a_table_by_invitation_is_not_there_for_others() -> None:
    people = cast()
    game = play_out(table(*people, open=False))
    assert logged_in(people[3]).get(f"/games/{game.pk}/").status_code == 200
    for client in (Client(), logged_in(player("Otto"))):
        assert client.get(f"/games/{game.pk}/").status_code == 404


def test_a_name_is_text_and_nothing_else() -> None:
    game = play_out(table(player("<b>Maeve"), player("<i>Ben"), rules=HEADS_UP))
    page = Client().get(f"/games/{game.pk}/").text
    assert "&lt;b&gt;Maeve" in page
    assert "<b>Maeve" not in page


def test_a_deal_that_was_thrown_in_has_a_row_without_maker_and_points() -> None:
    game = play_out(table(*cast()), thrown_in=1)
    row = finished(game).rows[0]
    assert (row["outcome"], row["maker"], row["suit_name"]) == ("Thrown in", "", "")
    assert [won for _points, won, _markers in row["scores"]] == [0, 0]
    assert "Hand 1: Thrown in" in " ".join(
        strip_tags(Client().get(f"/games/{game.pk}/").text).split()
    )
