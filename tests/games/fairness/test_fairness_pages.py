"""The pages on which a match is verified: what they show of games that are over or still played."""

import re

import pytest
from django.test import Client
from django.utils.html import strip_tags
from pytest_django import DjangoAssertNumQueries

from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, RULE_SETS, RuleSet
from games.fairness import proofs
from games.files.record import play
from games.models import Game
from games.records.game_files import record_of
from games.shuffle.secret_box import unseal
from tests.factories import cast, logged_in, play_out, player, table

pytestmark = pytest.mark.django_db


def played(rules: RuleSet = CLASSIC_24) -> Game:
    """A game that the cast has played out."""
    return play_out(table(*cast()[: rules.players], rules=rules))


def page_of(game: Game, client: Client | None = None) -> str:
    """The page on which a game is verified."""
    return (client or Client()).get(f"/games/{game.pk}/verify/").text


def words(page: str) -> str:
    """The words of a page."""
    return " ".join(strip_tags(page).split())


def values_of(game: Game, step: str) -> tuple[proofs.ProofValues, ...]:
    """The values of one step of a game's proof."""
    return next(one.values for one in proofs.proof_of(game, None).steps if one.name == step)


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=list(RULE_SETS))
def test_the_values_of_a_finished_game_stand_in_the_page(rules: RuleSet) -> None:
    game = played(rules)
    page = page_of(game)
    record = record_of(game)
    for number in (record.commitment, record.secret, record.mixed):
        assert number.hex() in page
    assert len(values_of(game, "hands")) == game.deal_number
    assert "Nothing is checked" not in page
    assert f'data-record="/games/{game.pk}/record.json"' in page


def test_the_values_of_a_hand_are_what_was_dealt() -> None:
    game = played(JOKER_33)
    dealt = play(record_of(game)).deals[0].deal
    title, rows = values_of(game, "hands")[0]
    said = dict(rows)
    signs = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}

    def cards(text: str) -> list[str]:
        plain = text.replace("\ufe0e", "").replace("★", "Jo").replace("10", "T")
        return [card[:-1] + signs.get(card[-1], card[-1]) for card in plain.split()]

    assert title == f"Hand 1, dealt by {['Maeve', 'Ben', 'Iris', 'Jonah'][dealt.dealer]}"
    pack = cards(said["Pack, top first"])
    lifted = int(said["Cards lifted off"])
    assert len(set(pack)) == 33
    assert said["Turned up"].replace("\ufe0e", "")
    below = pack[lifted:] + pack[:lifted]
    assert cards(said["Turned up"]) == [below[20]]
    assert {
        card for name in ("Maeve", "Ben", "Iris", "Jonah") for card in cards(said[name])
    } == set(below[:20])


def test_contributions_are_shown_by_seat() -> None:
    game = played()
    numbers = bytes([7]) * 32 + bytes(96)
    Game.objects.filter(pk=game.pk).update(seat_commitments=bytes([9]) * 128, contributions=numbers)
    game.refresh_from_db()
    first, second, *_ = values_of(game, "seats")
    assert first == ("North, Maeve", (("Fingerprint", "09" * 32), ("Number", "07" * 32)))
    assert second == ("East, Ben", (("Fingerprint", "09" * 32), ("Number", proofs.NO_NUMBER)))


def test_a_game_still_played_shows_what_is_published_and_no_secret() -> None:
    game = table(*cast()).games.get()
    page = page_of(game)
    assert game.commitment.hex() in page
    assert game.mixed.hex() in page
    assert unseal(game.secret).hex() not in page
    assert "data-record" not in page
    assert words(page).count("This can be checked when the game has ended.") == 5
    assert not values_of(game, "hands")
    assert not values_of(game, "dealer")


def test_the_page_knows_the_seat_of_who_asks() -> None:
    people = cast()
    game = play_out(table(*people))
    assert 'data-seat="1"' in page_of(game, logged_in(people[1]))
    assert 'data-seat="-1"' in page_of(game, logged_in(player("Otto")))
    assert 'data-seat="-1"' in page_of(game)


def test_names_are_text_in_the_page_and_for_its_script() -> None:
    game = play_out(table(player('<b>"Maeve"'), player("Ben's & Co"), rules=HEADS_UP))
    page = page_of(game)
    assert "<b>" not in re.sub(r"<b>(?:\d|That|Scripts)", "", page)
    assert "&lt;b&gt;" in page


def test_a_table_by_invitation_has_no_page_for_others() -> None:
    people = cast()
    game = play_out(table(*people, open=False))
    path = f"/games/{game.pk}/verify/"
    assert Client().get(path).status_code == 404
    assert logged_in(people[2]).get(path).status_code == 200


def test_a_file_is_chosen_and_never_sent() -> None:
    page = Client().get("/fairness/verify/").text
    assert 'type="file"' in page
    assert "<form" not in page.partition("<main")[2].partition("</main>")[0]
    assert Client().post("/fairness/verify/").status_code == 405
    for step in proofs.STEPS:
        assert step.title in page


def test_without_scripts_the_pages_say_what_the_script_does() -> None:
    for path in ("/fairness/verify/", f"/games/{played().pk}/verify/"):
        without = Client().get(path).text.partition("<noscript>")[2].partition("</noscript>")[0]
        assert "repeats each step below" in words(without)


@pytest.mark.parametrize("ended", [True, False])
def test_the_page_takes_few_queries(
    ended: bool, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    people = cast()
    at = table(*people)
    game = play_out(at) if ended else at.games.get()
    client = logged_in(people[0])
    with django_assert_max_num_queries(12):
        page_of(game, client)
