"""Puzzles from one's own games: which decisions are asked again and when, and what answers do."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games.engine.actions import action_text
from games.engine.cards import CARDS, card_text
from games.models import Game, GameEvent, Player, Puzzle, Review
from games.picture.cast import cast_of
from games.puzzles import own, questions
from games.records.game_files import played_of
from games.review import puzzles
from games.review.decisions import decisions
from games.review.reviewing import report_of
from tests.factories import cast, logged_in, member, play_out, player, table
from tests.games.review.judges import played, reviewed

pytestmark = pytest.mark.django_db
LATER = timedelta(days=3, minutes=1)


@pytest.fixture
def maeve() -> Player:
    return member("Maeve")


@pytest.fixture
def game(maeve: Player, monkeypatch: pytest.MonkeyPatch) -> Game:
    """A reviewed game of Maeve's, four days ago."""
    made = reviewed(monkeypatch, played(people=(maeve, *cast()[1:])))
    long_ago(made)
    return made


def long_ago(game: Game, **fields: object) -> None:
    Game.objects.filter(pk=game.pk).update(ended=timezone.now() - LATER, **fields)


def first_of(player: Player) -> Puzzle:
    return next(iter(own.own_set(player, timezone.now()).puzzles.values()))


def best_of(puzzle: Puzzle) -> str:
    report = report_of(puzzle.game)
    assert report is not None
    judged = report.at(puzzle.hand, puzzle.step)
    assert judged is not None
    return action_text(judged.judgement.best)


def test_only_ones_own_decisions_with_one_clear_answer_are_asked(maeve: Player, game: Game) -> None:
    report = report_of(game)
    assert report is not None
    expected = {
        (one.hand, one.step)
        for one in report.of(0)
        if one.mark and puzzles.gap(one) >= puzzles.MIN_GAP
    }
    assert expected
    mine = own.own_set(maeve, timezone.now())
    assert {(one.hand, one.step) for one in mine.puzzles.values()} == expected
    assert all(one.gap >= puzzles.MIN_GAP for one in mine.puzzles.values())


def test_a_small_gap_makes_no_puzzle(maeve: Player, game: Game) -> None:
    review = Review.objects.get()
    for one in review.result:
        one["options"][1][1] = one["options"][0][1] - 0.2
    puzzles.make(game, review.result)
    assert not Puzzle.objects.exists()


def test_a_gap_within_two_standard_errors_makes_no_puzzle(maeve: Player, game: Game) -> None:
    review = Review.objects.get()
    for one in review.result:
        one["options"][1][1] = one["options"][0][1] - 0.5
        one["error"] = 0.3
    puzzles.make(game, review.result)
    assert not Puzzle.objects.exists()


def test_nobody_is_asked_what_the_house_did_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    reviewed(monkeypatch, played(by=GameEvent.By.HOUSE))
    assert not Puzzle.objects.exists()


def test_house_players_get_no_puzzles(maeve: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    at = table(maeve, house_seats=(1, 2, 3))
    reviewed(monkeypatch, play_out(at, by=GameEvent.By.PERSON))
    assert set(Puzzle.objects.values_list("player", flat=True)) <= {maeve.pk}


def test_a_game_is_forgotten_after_three_days(maeve: Player, game: Game) -> None:
    now = timezone.now()
    Game.objects.update(ended=now - timedelta(days=2, hours=23))
    assert not own.own_set(maeve, now).puzzles
    assert own.own_set(maeve, now + timedelta(hours=2)).puzzles


def test_a_review_made_again_keeps_what_was_solved(maeve: Player, game: Game) -> None:
    solved = Puzzle.objects.filter(player=maeve)[0]
    Puzzle.objects.filter(pk=solved.pk).update(solved=timezone.now(), tries=2)
    before = set(Puzzle.objects.values_list("pk", flat=True))
    puzzles.make(game, Review.objects.get().result)
    assert set(Puzzle.objects.values_list("pk", flat=True)) == before
    assert Puzzle.objects.get(pk=solved.pk).tries == 2


# Answers ------------------------------------------------------------------------------------


def test_the_best_answer_solves_it_and_shows_the_reason(maeve: Player, game: Game) -> None:
    browser = logged_in(maeve)
    first = browser.get("/puzzles/own/")
    assert first.status_code == 302
    puzzle = first_of(maeve)
    assert first["Location"] == f"/puzzles/{puzzle.pk}/"
    page = browser.get(first["Location"]).content.decode()
    assert "Puzzle 1 of" in page
    assert f"table {game.table_id}" not in page
    assert "+1.00" not in page
    answer = browser.post(first["Location"], {"action": best_of(puzzle)})
    assert (answer.status_code, answer["Location"]) == (303, f"/puzzles/{puzzle.pk}/#next")
    puzzle.refresh_from_db()
    assert (puzzle.tries, puzzle.solved is not None, puzzle.shown) == (1, True, None)
    page = browser.get(first["Location"]).content.decode()
    assert "Found at the first try." in page
    assert "+1.00" in page
    assert f"table {game.table_id}" in page
    assert f"/games/{game.pk}/review/?at={puzzle.hand}.{puzzle.step}" in page
    assert browser.get("/puzzles/own/")["Location"] != f"/puzzles/{puzzle.pk}/"


def test_another_answer_may_be_tried_again(maeve: Player, game: Game) -> None:
    browser, puzzle = logged_in(maeve), first_of(maeve)
    decision = next(
        one
        for one in decisions(played_of(game))
        if (one.hand, one.step) == (puzzle.hand, puzzle.step)
    )
    address, best = f"/puzzles/{puzzle.pk}/", best_of(puzzle)
    wrong = next(action_text(one) for one in decision.seen.legal if action_text(one) != best)
    for tries in (1, 2):
        answer = browser.post(address, {"action": wrong})
        assert answer.status_code == 303
        page = browser.get(answer["Location"]).content.decode()
        assert "Not the best. Try again." in page
        assert ('class="button plain" type="submit" form="act" name="show"' in page) == (tries < 2)
    browser.post(address, {"action": best})
    assert "Found at try 3." in browser.get(address).content.decode()
    puzzle.refresh_from_db()
    assert puzzle.solved is not None


def test_the_answer_can_be_looked_up_which_solves_nothing(maeve: Player, game: Game) -> None:
    browser, puzzle = logged_in(maeve), first_of(maeve)
    browser.post(f"/puzzles/{puzzle.pk}/", {"show": "yes"})
    browser.post(f"/puzzles/{puzzle.pk}/", {"action": best_of(puzzle)})  # too late
    page = browser.get(f"/puzzles/{puzzle.pk}/").content.decode()
    assert "Looked up." in page
    puzzle.refresh_from_db()
    assert (puzzle.solved, puzzle.tries) == (None, 0)
    assert puzzle.shown is not None
    assert own.own_set(maeve, timezone.now()).solved == 0


@pytest.mark.parametrize("text", ["", "play 7C", "sing", "make H alone alone"])
def test_what_is_no_answer_is_refused(maeve: Player, game: Game, text: str) -> None:
    puzzle = first_of(maeve)
    answer = logged_in(maeve).post(f"/puzzles/{puzzle.pk}/", {"action": text})
    assert answer.status_code == 422
    puzzle.refresh_from_db()
    assert puzzle.tries == 0


def test_none_is_left_when_all_are_solved(maeve: Player, game: Game) -> None:
    Puzzle.objects.filter(player=maeve).update(solved=timezone.now())
    assert "No puzzle left" in logged_in(maeve).get("/puzzles/own/").content.decode()


def test_every_question_is_drawn(game: Game) -> None:
    """Of every phase, asked and answered."""
    report, whole, phases = report_of(game), played_of(game), set()
    assert report is not None
    for decision in decisions(whole):
        judged = report.at(decision.hand, decision.step)
        assert judged is not None
        asked = questions.ask(cast_of(whole.players), decision)
        assert asked.said
        assert asked.options == []
        played_deal = whole.deals[decision.hand - 1]
        answered = questions.answer(cast_of(whole.players), played_deal, decision, judged)
        assert len(answered.options) == len(decision.seen.legal)
        assert 'name="action"' not in answered.table.stage
        phases.add(decision.seen.phase)
    assert phases >= {"first round", "discard", "play"}


def test_a_question_shows_no_card_that_the_player_did_not_see(game: Game) -> None:
    whole = played_of(game)
    for decision in decisions(whole):
        drawn = str(questions.ask(cast_of(whole.players), decision).table.stage)
        deal = whole.deals[decision.hand - 1].at(decision.step)
        seen = decision.seen
        shown = {seen.turn_up, seen.discard, *(card for _, card in seen.plays)}
        shown |= {card for trick in seen.tricks for _, card in trick.plays}
        for seat, hand in enumerate(deal.hands):
            if seat == decision.seat:
                continue
            for card in range(CARDS):
                if hand >> card & 1 and card not in shown:
                    assert f'data-card="{card_text(card)}"' not in drawn


# Whose --------------------------------------------------------------------------------------


def test_nobody_elses_puzzles_can_be_opened(maeve: Player, game: Game) -> None:
    mine = first_of(maeve)
    for browser in (logged_in(member("Otto")), Client(), logged_in(player("Ada"))):
        assert browser.get(f"/puzzles/{mine.pk}/").status_code == 404
        assert browser.post(f"/puzzles/{mine.pk}/", {"show": "yes"}).status_code == 404


def test_the_list_says_when_the_first_comes(maeve: Player, game: Game) -> None:
    browser = logged_in(maeve)
    count = len(own.own_set(maeve, timezone.now()).puzzles)
    assert f"0 of {count} solved." in browser.get("/puzzles/").text
    ended = timezone.now() - timedelta(days=1)
    Game.objects.update(ended=ended)
    due = ended + own.FORGOTTEN
    page = browser.get("/puzzles/").text
    assert f">{due:%A}</time>." in page
    assert "The first on" in page
    Puzzle.objects.all().delete()
    assert "three days after the game" in browser.get("/puzzles/").text


def test_the_home_page_leads_to_those_of_own_games(maeve: Player, game: Game) -> None:
    assert "/puzzles/own/" in logged_in(maeve).get("/").text
    assert "/puzzles/own/" not in logged_in(member("Otto")).get("/").text
