"""Rules of clubs in EGN and PTN: what they can say reads back the same, the rest is named."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest

from games.engine.actions import CUT, DECLINE, Action
from games.engine.cards import BENNY, CARD_TEXTS, JOKER, parse_card
from games.engine.rules import (
    CLASSIC_24,
    MAKER,
    MAKERS_LEFT,
    NEVER,
    NO_FACE,
    NO_TRUMP_HIGH,
    NO_TRUMP_HIGH_OR_LOW,
    RuleSet,
)
from games.files.egn import egn_of, read_egn, write_egn
from games.files.importing import read_games
from games.files.played import PlayedDeal, PlayedGame, standings
from games.files.ptn import write_ptn
from games.files.strict_json import FileError, UnsupportedGameError, load
from tests.chance import CLUB_24, random_club_rules, random_played
from tests.volume import volume

#: What formats can say of these rules, at a target that takes many hands.
SAID: Final = replace(CLUB_24, alone_made=1, alone_euchre=None, own_trump=False, target=25)
#: Lone hands in which the maker gives a card away and gets one, and a dealer takes the turn-up.
BEST_OF_SOUTH: Final = r"""[Event "Best"]
[GameOptionsJson "{\"gameOverScore\": 4, \"callForBest\": true}"]
[Dealer "E"]
[Deal "E:A.A.T9.Q Q9.QJT.. KT.9..A9 J.K.A.KJ"]
[Undealt "DQCTDJDK"]
[Auction "S"]
♦ alone - - -
[CardsPassed "S:N:SQ"]
[CardsPassed "N:S:CJ"]
[CardsAdded "E:DQ"]
[CardsRemoved "E:HA"]
[Play "S"]
CJ CA - CQ
HT C9 - D9
HJ H9 - DT
S9 ST - SA
HQ SK - DQ
"""
BEST_OF_THE_DEALER: Final = r"""[Event "Best"]
[GameOptionsJson "{\"gameOverScore\": 4, \"callForBest\": true}"]
[Dealer "S"]
[Deal "S:T.T.QT.9 J.J..AKT 9.9.9.QJ Q.AQ.KJ."]
[Undealt "HKDASKSA"]
[Auction "W"]
Pass Pass Pass ♥ alone
[CardsPassed "S:N:HT"]
[CardsPassed "N:S:S9"]
[CardsAdded "S:HK"]
[CardsRemoved "S:C9"]
[Play "W"]
CA - DJ S9
HJ - HQ HK
CT - DK DT
CK - SQ DQ
SJ - HA ST
"""


def usual(rules: RuleSet) -> RuleSet:
    """Rules with the points of both formats, all tricks played."""
    points: dict[str, Any] = {"made": 1, "march": 2, "alone_made": 1, "alone_march": 4}
    points |= {"euchre": 2, "skunk": 2, "alone_euchre": None, "lone_defence": 4}
    return replace(rules, lay_down=False, **points)


def done(one: PlayedDeal) -> list[Action]:
    """What was done in a hand, but for refusals, which no format says; a Benny as a joker."""
    return [
        action._replace(value=JOKER) if action.value == BENNY else action
        for action in one.deal.actions
        if action.kind not in (CUT, DECLINE)
    ]


def written(write: Callable[[PlayedGame], bytes], games: int) -> Counter[str]:
    """Write games of club rules and read them back; the kinds of what was done in them."""
    kinds: Counter[str] = Counter()
    for number in range(games):
        seed = f"clubs {number}"
        rules = usual(random_club_rules(Random(seed))) if number % 2 else SAID
        game = random_played(replace(rules, fold=NEVER), seed)
        for one in game.deals:
            only = PlayedDeal(one.deal, *next(standings(rules, [one.deal])))
            alone = game._replace(deals=(only,))
            try:
                data = write(alone)
            except UnsupportedGameError as why:
                kinds[str(why).partition(" ")[2].partition(" ")[2].partition(" ")[2]] += 1
                continue
            ((again,),) = [one.deals for one in read_games(data)]
            assert done(again) == done(one)
            assert again.deal.result == one.deal.result
            assert again.deal.sitting_out == one.deal.sitting_out
            assert not again.unknown
            for action in one.deal.actions:
                kinds[str(action) if action.kind == "make" else action.kind] += 1
    return kinds


def test_hands_of_club_rules_read_back_the_same_from_egn() -> None:
    kinds = written(write_egn, volume(20, 40, 500))
    assert all(kinds[kind] for kind in ("give", "best", "defend", "make NT", "make NT alone"))
    assert not kinds["swap"]
    assert not kinds["make LNT"]


def test_hands_of_club_rules_read_back_the_same_from_ptn() -> None:
    kinds = written(write_ptn, volume(20, 40, 500))
    asked = ("swap", "give", "best", "defend", "make NT", "make LNT", "make LNT alone")
    assert all(kinds[kind] for kind in asked)


def test_the_rules_that_a_format_says_are_read() -> None:
    rules = replace(SAID, alone_euchre=4, lone_lead=MAKERS_LEFT, no_trump=NO_TRUMP_HIGH)
    rules = replace(rules, farmers_hand=False, fold=NEVER)
    game = random_played(rules, "a game")
    said = egn_of(game)["metadata"]["ruleset"]
    assert said["canadian"] is said["defend_alone"] is said["partners_best"] is True
    assert said["allow_no_trump"] is True
    assert (said["loner_lead"], said["loner_euchred_score"]) == ("LEFT_OF_LONER", 4)
    again = read_egn(load(write_egn(game)))
    assert again.standing.score == game.standing.score
    for field in ("dealers_partner_alone", "defend_alone", "partners_best", "lone_lead"):
        assert getattr(again.rules, field) == getattr(rules, field)
    rules = replace(SAID, alone_made=0, lone_lead=MAKER, fold=NEVER)
    (first, *_) = read_games(write_ptn(random_played(rules, "a game")))
    fields = ("alone_made", "lone_lead", "no_trump", "partners_best", "farmers_hand")
    assert all(getattr(first.rules, field) == getattr(rules, field) for field in fields)


def played(kind: str, **rules: Any) -> PlayedGame:
    """A game by chance in which something of a kind was done."""
    for number in range(2000):
        game = random_played(replace(CLASSIC_24, target=4, **rules), f"{kind} {number}")
        if any(str(action).startswith(kind) for one in game.deals for action in one.deal.actions):
            return game
    raise AssertionError(kind)


@pytest.mark.parametrize("write", [write_egn, write_ptn])
@pytest.mark.parametrize(
    ("kind", "rules", "told"),
    [
        ("fold", {"fold": NO_FACE, "pack": 32}, "a hand was folded; {} has no field for that"),
        ("order alone", {"alone_euchre": 4}, "PTN always counts 2 for “alone euchre”"),
        ("order alone", {"alone_made": 0}, "EGN always counts 1 for “alone made”"),
        ("swap", {"farmers_hand": True}, "EGN has no field"),
        ("make LNT", {"no_trump": NO_TRUMP_HIGH_OR_LOW}, "low no trump was made; EGN"),
        ("defend", {"defend_alone": True, "lone_defence": 5}, "always counts 4 for “lone defence”"),
    ],
)
def test_what_a_format_cannot_say_is_named(
    write: Callable[[PlayedGame], bytes], kind: str, rules: dict[str, Any], told: str
) -> None:
    game, name = played(kind, **rules), "EGN" if write is write_egn else "PTN"
    if ("PTN" in told or "EGN" in told) and name not in told:
        assert read_games(write(game))
    else:
        with pytest.raises(UnsupportedGameError, match=told.format(name)):
            write(game)


def test_a_lead_that_a_format_cannot_say_is_named() -> None:
    for write, lead in ((write_egn, MAKER), (write_ptn, MAKERS_LEFT)):
        refused = 0
        for number in range(40):
            game = random_played(replace(CLASSIC_24, target=4, lone_lead=lead), f"lead {number}")
            try:
                assert read_games(write(game))
            except UnsupportedGameError as why:
                refused += "another seat led than dealer’s left" in str(why)
        assert refused


def test_cards_that_change_hands_must_be_known_and_be_there() -> None:
    data = egn_of(played("best", partners_best=True))
    deal = next(one for one in data["deals"] if one["phases"][0].get("cardExchanges"))
    data.update(deals=[{**deal, "dealNumber": 0}])
    del data["metadata"]["initialScore"], data["metadata"]["finalScore"]
    data["metadata"]["initialScore"] = [0, 0]
    bidding, held = deal["phases"][0], deal["initialState"]["playerCards"]
    given = bidding["cardExchanges"][0]
    place = "deals[0].phases[0].cardExchanges[0]"

    def refused(told: str) -> None:
        with pytest.raises(FileError) as why:
            read_egn(load(json.dumps(data).encode()))
        assert told in str(why.value)

    held_before, held[given["sender"]] = held[given["sender"]], []
    refused(f"{place}: Cards change hands here, so all hands must be known.")
    held[given["sender"]] = held_before
    mine, given["cards"] = given["cards"], [held[given["receiver"]][0]]
    refused(f"{place}: {given['cards'][0]} is not in the hand of seat {given['sender']}.")
    given["cards"] = mine
    bidding["cardExchanges"] = bidding["cardExchanges"][:1]
    refused("was dealt to seat")


def changed(data: str, changes: dict[str, str]) -> list[PlayedGame]:
    for old, new in changes.items():
        assert old in data
        data = data.replace(old, new, 1)
    return read_games(data.encode())


def test_a_card_that_another_was_dealt_is_not_given_away() -> None:
    without = {'[CardsRemoved "E:HA"]\n': ""}
    assert changed(BEST_OF_SOUTH, without)[0].deals[0].deal.result
    with pytest.raises(FileError, match=r"HA was dealt to east, not to south\.") as why:
        changed(BEST_OF_SOUTH, {**without, "S:N:SQ": "S:N:HA"})
    assert "CardsPassed" in why.value.place
    with pytest.raises(FileError, match=r"CQ was dealt to east, not to north\."):
        changed(BEST_OF_SOUTH, {"N:S:CJ": "N:S:CQ"})
    data = egn_of(changed(BEST_OF_SOUTH, {})[0])
    bidding = data["deals"][0]["phases"][0]
    del bidding["discard"]
    bidding["cardExchanges"][0]["cards"] = ["Ah"]
    with pytest.raises(FileError, match=r"Ah was dealt to seat 1, not to seat 2\.") as why:
        read_egn(load(json.dumps(data).encode()))
    assert why.value.place.endswith("cardExchanges[0]")


def test_a_lone_dealer_who_gives_a_card_away_still_has_one_to_discard() -> None:
    without = {'[CardsRemoved "S:C9"]\n': ""}
    assert changed(BEST_OF_THE_DEALER, without)[0].deals[0].deal.discarded == parse_card("9C")
    # The dealer plays the other five, never the partner's best.
    played_out = {**without, "S:N:HT": "S:N:C9", "CA - DJ S9": "CA - DJ HT"}
    with pytest.raises(FileError, match="plays every other card, so none is left") as why:
        changed(BEST_OF_THE_DEALER, played_out)
    assert "CardsPassed" in why.value.place


def test_only_nines_and_tens_are_swapped() -> None:
    game = played("swap", farmers_hand=True)
    one = next(one for one in game.deals if any(a.kind == "swap" for a in one.deal.actions))
    lines = write_ptn(game, one.number).decode().splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("[CardsRemoved"))
    seat, action = next((seat, a) for seat, a in one.deal.answers if a.kind == "swap")
    held = [card for card in range(32) if one.deal.start[0][seat] >> card & 1]
    high = [card for card in held if card & 7 > 3]
    low = [card for card in held if action.value >> card & 1]
    swapped = "".join(CARD_TEXTS[card][::-1] for card in (*low[:2], high[0]))
    lines[at] = f'[CardsRemoved "{"NESW"[seat]}:{swapped}"]'
    with pytest.raises(FileError, match=r"The rules of this file do not allow .* to swap .* here"):
        read_games("\n".join(lines).encode())


def test_no_trump_where_the_options_do_not_allow_it_is_refused() -> None:
    data = write_ptn(played("make NT", no_trump=NO_TRUMP_HIGH))
    assert read_games(data)
    with pytest.raises(FileError, match="The rules of this file do not allow NT"):
        read_games(data.replace(rb"\"allowNotrump\": true", rb"\"allowNotrump\": false"))
