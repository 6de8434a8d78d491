"""The hand that plays itself on the first page: at each step it shows what the engine says."""

import re

import pytest
from django.test import Client

from euchre_site.pages import shown_hand
from euchre_site.pages.shown_hand import CAST, MOVES, POSITION, Part
from games.engine.deal import Deal
from games.engine.observation import DONE, PLAYING
from games.engine.tricks import winner
from games.picture import phrases

MOVED = [move.strip() for move in MOVES.split(",")]
STEPS = range(len(MOVED) + 1)


def at(step: int) -> Deal:
    return POSITION.after(", ".join(MOVED[:step]))


def seen_at(step: int, parts: tuple[Part, ...]) -> list[Part]:
    return [part for part in parts if part.since <= step < part.until]


def lying_at(step: int) -> tuple[tuple[int, int], ...]:
    deal = at(step)
    return deal.plays or (deal.tricks[-1].plays if deal.tricks else ())


def place(seat: int) -> str:
    return CAST[seat].compass.lower()


def test_the_hand_on_the_home_page_is_played_to_its_end() -> None:
    deal = at(STEPS[-1])
    assert deal.phase == DONE
    assert deal.result is not None
    assert shown_hand.shown_hand().steps == len(STEPS)


@pytest.mark.parametrize("step", STEPS)
def test_the_cards_of_the_trick_lie_at_their_players(step: int) -> None:
    hand = shown_hand.shown_hand()
    cards = {(part.at, part.card) for part in seen_at(step, hand.cards)}
    lying = lying_at(step)
    assert cards == {(place(seat), card) for seat, card in lying}
    ahead = [place(winner(at(step).trump, lying))] if lying else []
    assert [part.at for part in seen_at(step, hand.best)] == ahead


@pytest.mark.parametrize("step", STEPS)
def test_the_player_in_turn_and_the_score_are_those_of_the_engine(step: int) -> None:
    hand, deal = shown_hand.shown_hand(), at(step)
    turn = [place(deal.turn)] if deal.turn >= 0 else []
    assert [part.at for part in seen_at(step, hand.next)] == turn
    slots = [part.at for part in seen_at(step, hand.slots)]
    assert slots == (turn if deal.phase == PLAYING else [])
    assert bool(seen_at(step, (hand.made,))) == (deal.maker >= 0)
    [score] = seen_at(step, hand.scores)
    north, east = (int(points) for points in score.words.split("–"))
    gained = (north - POSITION.score[0], east - POSITION.score[1])
    result = deal.result
    if result is None:
        assert gained == (0, 0)
    else:
        assert (gained[result.side], gained[1 - result.side]) == (result.points, 0)
    [caption] = seen_at(step, hand.captions)
    if deal.result is None and (deal.plays or deal.tricks):
        seat, card = lying_at(step)[-1]
        assert caption.words.startswith(f"{CAST[seat].short} plays {phrases.plain_name(card)}")


@pytest.mark.django_db
def test_without_scripts_one_moment_is_seen() -> None:
    page = Client().get("/").text
    figure = page[page.index('<figure class="shown"') : page.index("</figure>")]
    lies = re.findall(r'class="lies"[^>]*?data-since="(\d+)" data-until="(\d+)"( hidden)?', figure)
    assert len(lies) == len(POSITION.hands) * 5 + 1
    still = shown_hand.STILL
    assert [not hidden for *_, hidden in lies] == [
        int(since) <= still < int(until) for since, until, _ in lies
    ]
    assert re.search(r"<button[^>]* hidden>", figure), "there is nothing to pause"
