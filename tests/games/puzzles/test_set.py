"""The set of puzzles: what is in it, and how it is asked of visitors and members."""

from __future__ import annotations

from collections import Counter

import pytest
from django.test import Client
from django.urls import reverse

from euchre_site.own_data import export_contents
from games.analysis.links import board_address
from games.engine.actions import action_text
from games.engine.cards import card_text, cards_in
from games.models import Player, PuzzleProgress, User
from games.puzzles import questions
from games.puzzles.collection import CAST, STRENGTHS, THEMES, SetPuzzle, collection
from games.review import wording
from games.review.reasons import ReviewCase, reason
from tests.factories import PASSWORD, logged_in, member, player

SET = [*collection().values()]


def address(puzzle: SetPuzzle) -> str:
    return f"/puzzles/set/{puzzle.number}/"


def best_of(puzzle: SetPuzzle) -> str:
    return action_text(puzzle.judged.judgement.best)


def solve(browser: Client, puzzle: SetPuzzle) -> None:
    answer = browser.post(address(puzzle), {"action": best_of(puzzle)})
    assert (answer.status_code, answer["Location"]) == (303, f"{address(puzzle)}#next")


class TestContents:
    def test_sixty_of_every_theme_and_strength(self) -> None:
        assert [one.number for one in SET] == [*range(1, 61)]
        assert {one.theme for one in SET} == THEMES.keys()
        assert {one.strength for one in SET} == STRENGTHS.keys()
        assert min(Counter(one.theme for one in SET).values()) >= 4

    def test_each_is_a_choice_of_south_with_one_answer_and_its_reason(self) -> None:
        for puzzle in SET:
            decision, judged = puzzle.decision, puzzle.judged
            best, second, *_ = judged.judgement.options
            assert decision.seat == 2
            assert {option.action for option in judged.judgement.options} == {*decision.seen.legal}
            assert best.value - second.value >= 0.4
            assert judged.taken != best.action
            case = ReviewCase(decision.seen, judged.taken, best.action, judged.judgement.loss, CAST)
            assert reason(case)

    def test_no_two_are_alike(self) -> None:
        assert len({one.hand for one in SET}) == 60
        assert len({tuple(one.played.deal.start[0]) for one in SET}) == 60

    def test_a_question_shows_no_card_that_south_has_not_seen(self) -> None:
        for puzzle in SET:
            drawn = str(questions.ask(CAST, puzzle.decision).table.stage)
            assert "You discards" not in drawn
            seen, deal = puzzle.decision.seen, puzzle.played.deal
            shown = {seen.turn_up, *(card for _, card in seen.plays)}
            shown |= {card for trick in seen.tricks for _, card in trick.plays}
            held = [hand for seat, hand in enumerate(deal.hands) if seat != 2]
            hidden = {card for hand in held for card in cards_in(hand)} - shown
            assert hidden
            assert not [card for card in hidden if f'data-card="{card_text(card)}"' in drawn]


@pytest.mark.django_db
class TestPages:
    def test_visitors_have_them_before_anything_has_been_played(self) -> None:
        browser, first = Client(), SET[0]
        page = browser.get("/puzzles/").text
        assert "0 of 60 solved" in page
        assert browser.get("/puzzles/next/")["Location"] == address(first)
        asked = browser.get(address(first)).text
        assert "Puzzle 1 of 60" in asked
        assert wording.points(first.judged.judgement.options[0].value) not in asked
        solve(browser, first)
        answered = browser.get(address(first)).text
        assert "Found at the first try." in answered
        assert wording.points(first.judged.judgement.options[0].value) in answered
        assert "1 of 60 solved" in browser.get("/puzzles/").text
        assert browser.get("/puzzles/next/")["Location"] == address(SET[1])

    def test_a_wrong_answer_may_be_tried_again_and_looked_up(self) -> None:
        browser, puzzle = Client(), SET[0]
        wrong = action_text(puzzle.judged.taken)
        answer = browser.post(address(puzzle), {"action": wrong})
        assert "Not the best. Try again." in browser.get(answer["Location"]).text
        browser.post(address(puzzle), {"show": "yes"})
        browser.post(address(puzzle), {"action": best_of(puzzle)})  # too late
        assert "Looked up." in browser.get(address(puzzle)).text
        assert "0 of 60 solved" in browser.get("/puzzles/").text

    @pytest.mark.parametrize("text", ["", "play 7C", "sing"])
    def test_what_is_no_answer_is_refused(self, text: str) -> None:
        browser, puzzle = Client(), SET[0]
        answer = browser.post(address(puzzle), {"action": text})
        assert answer.status_code == 422
        assert questions.CHOOSE in answer.text
        assert "Found at the first try" not in browser.get(address(puzzle)).text

    def test_the_answer_leads_to_the_analysis_board_with_the_question(self) -> None:
        browser = Client()
        for puzzle in SET[::12]:
            assert puzzle.board.seen().legal == puzzle.decision.seen.legal
            link = board_address(puzzle.board)
            assert link not in browser.get(address(puzzle)).text
            browser.post(address(puzzle), {"show": "yes"})
            assert link in browser.get(address(puzzle)).text
        assert browser.get(link, follow=True).status_code == 200

    def test_there_is_no_other_number(self) -> None:
        assert [Client().get(f"/puzzles/set/{one}/").status_code for one in (0, 61)] == [404, 404]

    def test_none_is_left_when_all_are_solved(self) -> None:
        maeve = member("Maeve")
        assert maeve.user is not None
        attempts = {str(one.number): [1, True, False] for one in SET}
        PuzzleProgress.objects.create(user=maeve.user, attempts=attempts)
        page = logged_in(maeve).get("/puzzles/next/").text
        assert "No puzzle left" in page
        assert "60 of 60 solved" in page

    def test_the_last_one_is_asked_until_it_is_answered(self) -> None:
        maeve = member("Maeve")
        assert maeve.user is not None
        looked_up, last = SET[3], SET[7]
        attempts = {str(one.number): [1, True, False] for one in SET if one is not last}
        attempts[str(looked_up.number)] = [2, False, True]
        PuzzleProgress.objects.create(user=maeve.user, attempts=attempts)
        browser, skip = logged_in(maeve), f"/puzzles/next/?after={last.number}"
        assert browser.get(skip)["Location"] == address(last)
        solve(browser, last)
        page = browser.get(skip).text
        assert "You have answered them all." in page
        assert "59 of 60 solved" in page


@pytest.mark.django_db
class TestProgress:
    def progress(self, who: Player) -> PuzzleProgress:
        return PuzzleProgress.objects.get(user=who.user)

    def test_another_device_goes_on_where_one_left_off(self) -> None:
        maeve = member("Maeve")
        one, other = logged_in(maeve), logged_in(maeve)
        solve(one, SET[0])
        assert "1 of 60 solved" in other.get("/puzzles/").text
        assert "0 of 60 solved" in logged_in(member("Ben")).get("/puzzles/").text
        assert self.progress(maeve).attempts == {"1": [1, True, False]}

    def test_what_a_visitor_solved_comes_along_at_the_login(self) -> None:
        maeve, browser = member("Maeve"), Client()
        assert maeve.user is not None
        solve(logged_in(maeve), SET[0])
        browser.post(address(SET[0]), {"show": "yes"})
        solve(browser, SET[1])
        login = {"login": maeve.user.email, "password": PASSWORD}
        browser.post(reverse("account_login"), login)
        assert self.progress(maeve).attempts == {"1": [1, True, False], "2": [1, True, False]}
        assert "puzzle_set" not in browser.session

    def test_guests_keep_it_in_the_session(self) -> None:
        ada = player("Ada")
        browser = logged_in(ada)
        solve(browser, SET[0])
        assert "1 of 60 solved" in browser.get("/puzzles/").text
        assert not PuzzleProgress.objects.exists()
        data = export_contents.data(ada, ada.created)
        assert [one["puzzle_set"]["attempts"] for one in data["sessions"]] == [
            {"1": [1, True, False]}
        ]

    def test_it_is_in_ones_own_data_and_goes_with_the_account(self) -> None:
        maeve = member("Maeve")
        solve(logged_in(maeve), SET[0])
        assert maeve.user is not None
        data = export_contents.data(maeve, maeve.created)
        assert data["puzzle_set"][0]["attempts"] == {"1": [1, True, False]}
        User.objects.get(player=maeve).delete()
        assert not PuzzleProgress.objects.exists()
