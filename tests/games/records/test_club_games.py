"""Finished games of rules that only some clubs play by: sheet, replay and statistics."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from django.test import Client
from django.utils.html import strip_tags

from games.engine.actions import BEST, GIVE, SWAP
from games.engine.cards import CARD_TEXTS, SUIT_MASK, TRUMP_NAMES, UNNAMED, cards_in
from games.engine.rules import RuleSet
from games.files.record import play as replayed
from games.models import Game, GameEvent
from games.picture import viewing
from games.records import game_files, performances, replays
from games.records.finished import finished
from games.records.sums import PlayedRow, totals_of
from tests.chance import CLUB_24, CLUB_33, random_played
from tests.factories import cast, play_out, table

pytestmark = pytest.mark.django_db
#: Of many hands, so that everything happens in a game.
LONG_24 = replace(CLUB_24, target=50, own_trump=False, stick_the_dealer=True)
LONG_33 = replace(CLUB_33, target=50, stick_the_dealer=True)
CLUBS = pytest.mark.parametrize("rules", [LONG_24, LONG_33], ids=lambda rules: rules.key)


def played(rules: RuleSet) -> Game:
    """A game in whose first hands all pass, until the dealer has to make trump."""
    return play_out(table(*cast(), rules=rules), thrown_in=30, by=GameEvent.By.PERSON)


@CLUBS
def test_the_score_sheet_names_what_happened(rules: RuleSet) -> None:
    game = played(rules)
    text = " ".join(strip_tags(Client().get(f"/games/{game.pk}/").text).split())
    assert not any("+0" in outcome for _, outcome, _ in finished(game).logs)
    for row, deal in zip(finished(game).rows, viewing.deal_views(game.pk), strict=True):
        assert bool(row["maker"]) is (deal.maker >= 0)
        assert row["suit_name"] == TRUMP_NAMES[deal.trump]
        assert row["suit"] == ("" if deal.trump >= UNNAMED else "cdhs"[deal.trump])
        assert row["outcome"].endswith(", defended alone") is (deal.defender >= 0)
        assert (row["outcome"] == "Folded") is bool(deal.folded)
        if deal.trump > UNNAMED:
            assert TRUMP_NAMES[deal.trump].capitalize() in text


@CLUBS
def test_statistics_count_what_was_played(rules: RuleSet) -> None:
    game = played(rules)
    performances.record(game)
    calls, no_trump, defences, stopped = (Counter[int]() for _ in range(4))
    for deal in viewing.deal_views(game.pk):
        if deal.maker < 0 or deal.result is None:
            continue
        calls[deal.maker] += 1
        no_trump[deal.maker] += deal.trump > UNNAMED
        defences[deal.defender] += 1
        if deal.alone and deal.result.side != deal.result.makers:
            stopped.update(
                seat
                for seat in range(4)
                if seat % 2 == deal.result.side and seat not in deal.sitting_out
            )
    assert sum(defences[seat] for seat in range(4))
    assert bool(sum(no_trump.values())) is (rules is LONG_24)
    for one in game.performances.all():
        seat = one.position
        places = one.called_1 + one.called_2 + one.called_3 + one.called_4
        assert (one.called, one.no_trump) == (calls[seat], no_trump[seat])
        assert places == one.called - one.no_trump
        assert (one.lone_defences, one.lone_euchres) == (defences[seat], stopped[seat])
        (row,) = [PlayedRow._make(row) for row in (
            game.performances.filter(pk=one.pk).values_list(*PlayedRow._fields)
        )]  # fmt: skip
        totals = totals_of([row])
        assert totals.trumps.number == places
        assert totals.no_trump == no_trump[seat]


def test_trumps_held_when_calling_are_those_after_the_makers_swap() -> None:
    game = played(LONG_24)
    performances.record(game)
    held, dealt = Counter[int](), Counter[int]()
    for one in replayed(game_files.record_of(game)).deals:
        deal = one.deal
        if deal.maker < 0 or deal.trump > UNNAMED:
            continue
        before = next(one.at(at - 1) for at in range(one.steps) if one.at(at).maker >= 0)
        taken = deal.maker == deal.dealer and deal.trump == deal.turned_suit
        turn_up, trumps = taken << deal.turn_up, SUIT_MASK[deal.trump][deal.trump]
        held[deal.maker] += ((before.hands[deal.maker] | turn_up) & trumps).bit_count()
        dealt[deal.maker] += ((deal.start[0][deal.maker] | turn_up) & trumps).bit_count()
    assert held != dealt
    for told in game.performances.all():
        trumps = told.trumps_1 + told.trumps_2 + told.trumps_3 + told.trumps_4
        assert trumps == held[told.position]


@CLUBS
def test_every_moment_of_a_replay_can_be_shown_to_every_view(rules: RuleSet) -> None:
    game = replayed(game_files.record_of(played(rules)))
    views = ("all", "public", "north", "east", "south", "west")
    wheres = set()
    for one in game.deals[:24]:
        for step in range(one.steps + 1):
            for view in views:
                shown = replays.moment(game, f"{one.number}.{step}", view)
                assert shown["said"]
                wheres.add(shown["where"])
    assert wheres >= {"Defend alone?", "Partner’s best?", "The best card"}


@pytest.mark.parametrize("rules", [LONG_24, LONG_33], ids=lambda rules: rules.key)
def test_cards_that_left_a_hand_are_shown_to_who_may_see_them_alone(rules: RuleSet) -> None:
    game = random_played(rules, "a game")
    compass = ("north", "east", "south", "west")
    said = {SWAP: ", swapped", GIVE: ", given away", BEST: ", given to the maker"}
    found = set()
    for one in game.deals:
        for seat, action in one.deal.answers:
            if action.kind not in said:
                continue
            found.add(action.kind)
            away = [*cards_in(action.value)] if action.kind == SWAP else [action.value]
            at = f"{one.number}.{one.steps}"
            for view in ("all", "public", *compass):
                fan = replays.moment(game, at, view)[f"fan.{seat}"]
                labels = [row["label"] for row in fan if row.get("note") == "out"]
                gone = [label for label in labels if label.endswith(said[action.kind])]
                assert len(gone) == (len(away) if view in ("all", compass[seat]) else 0)
            shown = {
                row.get("card") for row in replays.moment(game, at, compass[seat])[f"fan.{seat}"]
            }
            assert shown >= {CARD_TEXTS[card] for card in away}
    assert found >= {GIVE, BEST}


def test_the_plaque_of_a_replay_says_no_trump() -> None:
    game = random_played(LONG_24, "a game")
    titles = set()
    for one in game.deals:
        if one.deal.trump != UNNAMED:
            shown = replays.moment(game, f"{one.number}.{one.steps}", "public")
            titles.add(shown["trump.title"])
    assert titles >= {"No trump", "Low no trump", "Hearts trump".lower()}
