"""Beginning a game: the shuffle's secret, its commitment, the packs, the first turn."""

import pickle
from datetime import UTC, datetime

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from pytest_django.fixtures import Settings

from games.engine import shuffle
from games.engine.game import Game as Play
from games.engine.rules import HEADS_UP, JOKER_33, RuleSet
from games.models import Game, Player
from games.seats import seating
from games.shuffle import shuffling
from games.shuffle.dealing import auto_cut_of, packs_of
from games.shuffle.secret_box import seal, unseal
from tests.chance import PUBLISHED
from tests.factories import player, table

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 21, 20, tzinfo=UTC)


def begin(rules: RuleSet = JOKER_33) -> Game:
    """A game just begun, as the database has it."""
    return seating.play_now(player("Maeve"), rules).games.get()


def secret_of(game: Game) -> bytes:
    """The shuffle's secret of a game."""
    return unseal(game.secret)


@pytest.mark.parametrize("rules", PUBLISHED.values(), ids=PUBLISHED)
def test_everything_about_the_shuffle_follows_from_the_secret(rules: RuleSet) -> None:
    game = begin(rules)
    secret, match, seats = secret_of(game), game.pk.bytes, rules.players
    nothing = [shuffle.NOTHING] * seats
    assert len(secret) == shuffle.SECRET_SIZE
    assert game.commitment == shuffle.commit(match, secret)
    assert game.mixed == shuffle.mix(match, bytes(game.commitment), nothing, nothing)
    assert game.first_dealer == shuffle.first_dealer(secret, bytes(game.mixed), seats)


def test_each_deal_has_the_pack_and_the_cut_of_the_shuffle() -> None:
    game = begin(JOKER_33)
    packs, cut = packs_of(game), auto_cut_of(game)
    for deal in range(3):
        pack = shuffle.shuffled(JOKER_33, secret_of(game), bytes(game.mixed), deal)
        assert (packs(deal), cut(deal)) == pack


@pytest.mark.parametrize("rules", PUBLISHED.values(), ids=PUBLISHED)
def test_the_row_says_whose_turn_it_is_at_the_beginning(rules: RuleSet) -> None:
    game = begin(rules)
    assert game.turn == Play(rules, game.first_dealer, packs_of(game)).turn
    assert (game.version, game.deal_number, game.score_0, game.score_1) == (0, 1, 0, 0)
    assert (game.state, game.winner, game.due) == (Game.State.PLAYING, -1, game.moved)


def test_the_game_notes_who_sits_where() -> None:
    game = begin(HEADS_UP)
    assert [seat.player.name for seat in game.seats.all()] == ["Rowan", "Maeve"]


def test_games_at_a_table_are_numbered() -> None:
    game = begin()
    shuffling.begin(game.table, NOW)
    second = game.table.games.get(number=2)
    assert (game.number, second.number) == (1, 2)
    assert secret_of(game) != secret_of(second)


def test_no_game_begins_with_a_free_seat() -> None:
    at = table(player("Maeve"))
    with pytest.raises(ValueError, match="Seat 1 is free"):
        shuffling.begin(at, NOW)


def test_the_secret_is_stored_encrypted_and_never_printed() -> None:
    game = begin()
    secret = secret_of(game)
    packs = packs_of(game)
    assert secret not in bytes(game.secret)
    for text in (repr(packs), str(packs), repr(game), repr(vars(Player.objects.get(name="Maeve")))):
        assert secret.hex() not in text
        assert repr(secret)[2:-1] not in text
    with pytest.raises(TypeError, match="must not be copied"):
        pickle.dumps(packs)


def test_a_secret_sealed_with_another_key_is_refused_without_showing_it(
    settings: Settings,
) -> None:
    sealed = seal(b"the shuffle's secret")
    settings.DEAL_KEY = Fernet.generate_key().decode()
    with pytest.raises(ImproperlyConfigured, match="DEAL_KEY is not the key") as caught:
        unseal(sealed)
    assert caught.value.__cause__ is None
    assert "secret" not in str(caught.value)
