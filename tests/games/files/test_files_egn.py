"""Euchre Game Notation: what is written reads back the same, and what others write is read."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest

from games.engine.actions import CUT
from games.engine.cards import card_text, cards_in, parse_card
from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, STICK_THE_DEALER, RuleSet
from games.files.egn import egn_of, read_egn, write_egn
from games.files.played import PlayedDeal, PlayedGame
from games.files.strict_json import FileError, UnsupportedGameError, load
from tests.chance import SOURCES, random_played, rules_of
from tests.loops import looped
from tests.volume import scaled

#: Two hands as another program wrote them down at a table: who held what was not seen.
WRITTEN_DOWN: Final[dict[str, Any]] = {
    "fileType": "Euchre Game Notation",
    "version": "1.6",
    "metadata": {
        "title": "Thursday",
        "players": ["Maeve", {"name": "Ben"}, "Iris", "Jonah"],
        "initialScore": [0, 0],
        "ruleset": {"std": True, "winning_score": 10},
    },
    "deals": [
        {
            "dealNumber": 0,
            "initialState": {"dealer": 2, "upCard": "Kc"},
            "phases": [
                {"type": "EUCHRE_BIDDING", "calls": ["Pass", "Pass", "Pass", "Order"]},
                {
                    "type": "TRICK_PLAY",
                    "tricks": [
                        ["Ad", "Nd", "Qd", "9c"],
                        ["Ks", "As", "Ac", "Js"],
                        ["Kh", "Qh", "Ah", "Tc"],
                        ["Kd", "9h", "Kc", "9s"],
                        ["Jc", "Qs", "Jd", "Jh"],
                    ],
                },
            ],
        },
        {
            "dealNumber": 1,
            "initialState": {"dealer": 3, "upCard": "9s"},
            "phases": [
                {
                    "phaseNumber": 0,
                    "type": "EUCHRE_BIDDING",
                    "calls": ["Pass", "Pass", "Pass", "Pass", "c"],
                    "isAlone": False,
                },
                {
                    "phaseNumber": 1,
                    "type": "TRICK_PLAY",
                    "tricks": [
                        ["Tc", "Kc", "Jc", "Ac"],
                        ["Qd", "9d", "Td", "Ad"],
                        ["Ks", "Qs", "Jh", "As"],
                        ["Ts", "9h", "9c", "Js"],
                        ["Kh", "Kd", "Th", "Qc"],
                    ],
                },
            ],
        },
    ],
}


def read(data: Any) -> PlayedGame:
    """Read JSON data as EGN."""
    return read_egn(load(json.dumps(data).encode()))


def refusal(change: Callable[[dict[str, Any]], object]) -> str:
    """What the two hands are refused with after a change."""
    data = copy.deepcopy(WRITTEN_DOWN)
    change(data)
    with pytest.raises(FileError) as refused:
        read(data)
    return str(refused.value)


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_written_reads_back_the_same(source: str) -> None:
    told = 0
    for number in range(scaled(40)):
        seed = f"{source} {number}"
        game = random_played(rules_of(source, Random(seed)), seed)
        try:
            written = write_egn(game)
        except UnsupportedGameError:
            continue
        told += 1
        again = read_egn(load(written))
        assert write_egn(again) == written
        assert again.standing.score == game.standing.score
        if not game.rules.benny:  # a Benny reads as a joker
            assert [one.deal.actions for one in again.deals] == [
                [one for one in deal.deal.actions if one.kind != CUT] for deal in game.deals
            ]
            assert [one.deal.start for one in again.deals] == [one.deal.start for one in game.deals]
        assert not any(one.unknown for one in again.deals)
    assert told or source == "house rules"


@pytest.mark.parametrize("rules", [CLASSIC_24, HEADS_UP, STICK_THE_DEALER], ids=lambda r: r.key)
def test_an_abandoned_game_is_written_as_far_as_it_went(rules: RuleSet) -> None:
    for events in range(1, 60):
        game = random_played(rules, "a game", events=events)
        written = write_egn(game)
        again = read_egn(load(written))
        assert write_egn(again) == written
        assert [one.deal.actions for one in again.deals] == [one.deal.actions for one in game.deals]
        assert "finalScore" not in json.loads(written)["metadata"]


def test_the_format_is_as_other_programs_expect_it() -> None:
    data = egn_of(random_played(JOKER_33, "a game"))
    assert list(data) == ["fileType", "version", "metadata", "deals"]
    assert (data["fileType"], data["version"]) == ("Euchre Game Notation", "1.4.0")
    assert data["metadata"]["players"] == ["Maeve", "Ben", "Iris", "Jonah"]
    assert data["metadata"]["ruleset"] == {
        "std": False,
        "min_rank": 7,
        "winning_score": 7,
        "loner_march_score": 4,
        "loner_lead": "LEFT_OF_DEALER",
        "defend_alone": False,
        "joker": True,
        "num_players": 4,
    }
    first = data["deals"][0]
    assert list(first) == ["dealNumber", "initialState", "phases"]
    assert [len(hand) for hand in first["initialState"]["playerCards"]] == [5, 5, 5, 5]
    assert [phase["type"] for phase in first["phases"]] == ["EUCHRE_BIDDING", "TRICK_PLAY"]


# Cards that were not seen -----------------------------------------------------------------


def test_unknown_hands_are_made_of_the_cards_played() -> None:
    game = read(WRITTEN_DOWN)
    first, second = game.deals
    assert game.players == ("Maeve", "Ben", "Iris", "Jonah")
    dealt = words(first, 2)  # the dealer, who took up the king of clubs and played it
    assert {"9C", "KS", "QH", "JC"} < dealt
    assert dealt - {"9C", "KS", "QH", "JC"} == {card_text(card) for card in first.unknown}
    assert first.deal.discarded in first.unknown
    assert words(second, 0) == {"TC", "TD", "AS", "TS", "KD"}
    assert not second.unknown
    assert [one.after.score for one in game.deals] == [(1, 0), (2, 0)]


def words(played: PlayedDeal, seat: int) -> set[str]:
    """The cards dealt to a seat."""
    return {card_text(card) for card in cards_in(played.deal.start[0][seat])}


def test_a_dealer_who_never_plays_the_turn_up_discarded_it() -> None:
    data = copy.deepcopy(WRITTEN_DOWN)
    del data["deals"][1]
    tricks = data["deals"][0]["phases"][1]["tricks"]
    tricks[3][2] = "Qc"
    first = read(data).deals[0]
    assert first.deal.discarded == parse_card("KC")
    assert not first.unknown


def test_a_partner_who_sat_out_is_dealt_cards_nobody_saw() -> None:
    data = copy.deepcopy(WRITTEN_DOWN)
    data["deals"] = [
        {
            "dealNumber": 1,
            "initialState": {"dealer": 1, "upCard": "Ts"},
            "phases": [
                {
                    "type": "EUCHRE_BIDDING",
                    "calls": ["Pass", "Pass", "Pass", "Order"],
                    "isAlone": True,
                },
                {
                    "type": "TRICK_PLAY",
                    "tricks": [
                        ["9d", "Qd", "Ts"],
                        ["Js", "Qs", "9s"],
                        ["Ah", "Ks", "Th"],
                        ["9c", "Qc", "Ac"],
                        ["Qh", "Tc", "Jh"],
                    ],
                },
            ],
        }
    ]
    deal = read(data).deals[0]
    assert deal.deal.sitting_out == (3,)
    assert set(cards_in(deal.deal.start[0][3])) <= deal.unknown
    assert_written_back(read(data))


def assert_written_back(game: PlayedGame) -> None:
    """A game of which not all cards are known is the same again once written and read."""
    again = read(egn_of(game))
    assert [(one.deal.start, one.deal.actions, one.unknown) for one in again.deals] == [
        (one.deal.start, one.deal.actions, one.unknown) for one in game.deals
    ]
    told = json.dumps(egn_of(game))
    assert told.count('"Xx"') == sum(
        len(one.unknown) + (one.deal.discarded in one.unknown) for one in game.deals
    )


def test_hidden_cards_are_never_of_a_suit_their_holder_did_not_follow() -> None:
    """Of what was written, forget cards; what is found instead must be possible."""
    for number in range(200):
        chance = Random(number)
        data = egn_of(random_played(replace(STICK_THE_DEALER, target=3), f"{number}"))
        for deal in data["deals"]:
            hands = deal["initialState"]["playerCards"]
            if chance.random() < 0.3:
                del deal["initialState"]["playerCards"]
            else:
                deal["initialState"]["playerCards"] = [
                    [card if chance.random() < 0.5 else "Xx" for card in hand] for hand in hands
                ]
        again = read(data)
        assert again.standing.score == tuple(data["metadata"]["finalScore"])
        assert_written_back(again)


def test_the_replay_ends_where_a_card_is_not_known() -> None:
    data = copy.deepcopy(WRITTEN_DOWN)
    data["deals"][0]["phases"][0]["discard"] = "Th"
    data["deals"][0]["phases"][1]["tricks"][3] = ["Kd", "Xx", "Kc", "9s"]
    game = read(data)
    assert len(game.deals) == 1
    assert len(game.deals[0].deal.tricks) == 3
    assert len(game.deals[0].deal.plays) == 1
    assert game.notes == ("The replay ends in hand 1: a card that was played is not known.",)


@pytest.mark.parametrize("numbers", [(0, 1), (1, 2), (None, 1), (None, 2), (1, None)])
def test_phases_are_numbered_from_0_or_from_1(numbers: tuple[int | None, int | None]) -> None:
    data = copy.deepcopy(WRITTEN_DOWN)
    number_phases(data, *numbers)
    assert [one.deal.actions for one in read(data).deals] == [
        one.deal.actions for one in read(WRITTEN_DOWN).deals
    ]


def test_the_play_may_tell_once_more_whether_somebody_plays_alone() -> None:
    data = egn_of(random_played(replace(CLASSIC_24, target=20), "a game"))
    alone = [one["phases"][0]["isAlone"] for one in data["deals"]]
    assert {True, False} == set(alone)
    again = copy.deepcopy(data)
    for one in again["deals"]:
        for phase in one["phases"][1:]:
            phase["isAlone"] = one["phases"][0]["isAlone"]
    assert egn_of(read(again)) == data


def test_ids_of_players_are_read_over() -> None:
    data = copy.deepcopy(WRITTEN_DOWN)
    ids: list[dict[str, Any]] = [
        {"id": "m-1"},
        {"id": 7},
        {"playerIds": [{"id": "i", "source": "club"}]},
        {},
    ]
    names = ["Maeve", "Ben", "Iris", "Jonah"]
    data["metadata"]["players"] = [
        {"name": name, **said} for name, said in zip(names, ids, strict=True)
    ]
    assert read(data).players == tuple(names)


def older() -> dict[str, Any]:
    """The two hands in the keys of version 1.0, with what later versions left out."""
    data = copy.deepcopy(WRITTEN_DOWN)
    data["version"] = "1.0.0"
    data["metadata"]["matchId"] = "thursday"
    data["metadata"]["players"] = ["Maeve", "Ben", "Iris", "Jonah"]
    for number, one in enumerate(data["deals"]):
        one["initialState"]["kitty"] = ["", "", ""]
        one["initialState"]["player_cards"] = [[], [], [], []]
        calls, played = one["phases"]
        calls.update(phaseNumber=0, isAlone=False, card_exchanges=[], calls_annotations={})
        played.update(phaseNumber=1, initialLead=(3 + number) % 4, tricks_annotations={})
    return data


def test_version_1_0_is_read_by_its_own_keys() -> None:
    game = read(older())
    assert game.game_id == "thursday"
    assert [one.deal.actions for one in game.deals] == [
        one.deal.actions for one in read(WRITTEN_DOWN).deals
    ]


def test_the_kitty_of_an_older_version_is_nobodys_hand() -> None:
    data = older()
    deal(data)["initialState"]["kitty"] = ["Th", "", "Td"]
    (first, _) = read(data).deals
    assert not {"TH", "TD"} & {card_text(card) for card in first.unknown}


OLDER: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (
        lambda d: deal(d)["initialState"].update(kitty=["Ad", "", ""]),
        "tricks[0][0]: Ad was not dealt, it is left in the kitty.",
    ),
    (
        lambda d: deal(d)["initialState"].update(kitty=["Kc", "", ""]),
        "kitty[0]: Kc was dealt already, at deals[0].initialState.upCard.",
    ),
    (
        lambda d: deal(d)["initialState"].update(kitty=["Td", "Td"]),
        "kitty[1]: Td was dealt already, at deals[0].initialState.kitty[0].",
    ),
    (
        lambda d: deal(d)["initialState"].update(playerCards=[[]] * 4),
        "The key playerCards is here twice, under its older name too.",
    ),
    (
        lambda d: play(d).update(initialLead=2),
        "phases[1].initialLead: Seat 3, at dealer's left, leads here, not seat 2.",
    ),
    (lambda d: play(d).update(initialLead=4), "initialLead: This must be a whole number"),
]


@looped("change, told", OLDER)
def test_what_an_older_version_says_twice_must_agree(
    change: Callable[[dict[str, Any]], object], told: str
) -> None:
    data = older()
    change(data)
    with pytest.raises(FileError) as refused:
        read(data)
    assert told in str(refused.value)


# Refusals ---------------------------------------------------------------------------------

DEAL: Final = "deals[0]"
BIDDING: Final = "deals[0].phases[0]"
PLAY: Final = "deals[0].phases[1]"
HANDS: Final = "deals[0].initialState.playerCards"
RULES: Final = "metadata.ruleset"


def deal(data: dict[str, Any]) -> dict[str, Any]:
    """The first deal."""
    first: dict[str, Any] = data["deals"][0]
    return first


def bidding(data: dict[str, Any]) -> dict[str, Any]:
    """The bidding of the first deal."""
    phase: dict[str, Any] = deal(data)["phases"][0]
    return phase


def play(data: dict[str, Any]) -> dict[str, Any]:
    """The play of the first deal."""
    phase: dict[str, Any] = deal(data)["phases"][1]
    return phase


def number_phases(data: dict[str, Any], *numbers: int | None) -> None:
    """Number the phases of the first deal; None leaves one without a number."""
    for phase, number in zip(deal(data)["phases"], numbers, strict=True):
        if number is not None:
            phase["phaseNumber"] = number


def holding(data: dict[str, Any], *hands: list[str]) -> dict[str, Any]:
    """The first deal, telling these hands from north on and no others."""
    told = [*hands, [], [], []]
    deal(data)["initialState"]["playerCards"] = told[:4]
    return deal(data)


def only_calls(data: dict[str, Any], calls: list[str]) -> None:
    """Leave nothing of the first deal but its calls, which are these."""
    bidding(data).update(calls=calls)
    deal(data)["phases"].pop()


def only_card(data: dict[str, Any], card: str) -> None:
    """Leave nothing of the first deal but diamonds named and this card led."""
    bidding(data).update(calls=["Pass"] * 4 + ["d"])
    tricks(data)[:] = [[card]]


def tricks(data: dict[str, Any]) -> list[list[str]]:
    """The tricks of the first deal."""
    told: list[list[str]] = deal(data)["phases"][1]["tricks"]
    return told


def rules(data: dict[str, Any]) -> dict[str, Any]:
    """The rule set."""
    told: dict[str, Any] = data["metadata"]["ruleset"]
    return told


REFUSED: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda d: d.update(fileType="PGN"), "fileType: This must be one of Euchre Game Notation"),
    (lambda d: d.update(version="1.7"), "version: EGN 1.0 to 1.6 is read"),
    (lambda d: d.update(version="1.40"), "version: EGN 1.0 to 1.6 is read"),
    (lambda d: d.update(extra=1), 'the file: Unknown key "extra"'),
    (lambda d: d.update(deals=[]), "deals: This list must have 1 to 100 entries, not 0."),
    (lambda d: d.update(deals=d["deals"] * 51), "deals: This list must have 1 to 100"),
    (lambda d: d.update(deals=["q80"]), "deals[0]: Deals packed into a text are not supported"),
    (
        lambda d: d["metadata"].update(extra=1),
        'metadata: Unknown key "extra"; expected one of: players, initialScore, gameId,',
    ),
    (lambda d: d["metadata"].pop("players"), "metadata: The key players is missing."),
    (lambda d: d["metadata"].update(players=["A", "B"]), "metadata.players: The rules are for 4"),
    (lambda d: d["metadata"].update(players=["A", "B", "C", " "]), "metadata.players[3]: This"),
    (
        lambda d: d["metadata"].update(players=["A", "B", "C", 1]),
        "metadata.players[3]: This must be a text or an object, not 1.",
    ),
    (lambda d: d["metadata"].update(players=[{"id": "m"}] * 4), "players[0]: The key name is"),
    (lambda d: d["metadata"].update(finalScore=[1, 9]), "metadata.finalScore: The deals of this"),
    (lambda d: d["metadata"].update(initialScore=[10, 0]), f"{DEAL}: The game was over before"),
    (lambda d: rules(d).update(house=1), f'{RULES}: Unknown key "house"'),
    (lambda d: rules(d).update(fast_break=True), f"{RULES}.fast_break: Bower does not play"),
    (
        lambda d: rules(d).update(allow_no_trump=True, joker=True),
        f"{RULES}: Bower does not play such rules: no_trump: cannot be played with a joker",
    ),
    (
        lambda d: rules(d).update(farmers=True, min_rank=7),
        f"{RULES}: Bower does not play such rules: farmers_hand: only where 3 cards are left",
    ),
    (
        lambda d: rules(d).update(loner_lead="LEFT"),
        "loner_lead: This must be one of LEFT_OF_DEALER",
    ),
    (lambda d: rules(d).update(num_deals=8), f"{RULES}.num_deals: A game has a winning_score or"),
    (lambda d: rules(d).update(winning_score=0), f"{RULES}.winning_score: A game needs a"),
    (lambda d: rules(d).update(min_rank=6), f"{RULES}.min_rank: This must be a whole number"),
    (lambda d: rules(d).update(num_players=3), f"{RULES}.num_players: The rules are for 3"),
    (
        lambda d: (rules(d).update(num_players=3), d["metadata"].update(players=list("ABC"))),
        f"{RULES}.num_players: num_players must be 2 or 4.",
    ),
    (
        lambda d: rules(d).update(loner_euchred_score=1),
        f"{RULES}: Bower does not play such rules: alone_euchre: must be worth at least as much",
    ),
    (lambda d: deal(d).update(dealNumber=7), f"{DEAL}.dealNumber: This must be a whole number"),
    (lambda d: d["deals"][1].update(dealNumber=2), "deals[1].dealNumber: This must be 1, not 2."),
    (lambda d: deal(d)["initialState"].update(upCard="B"), 'upCard: "B" is not in the pack'),
    (lambda d: deal(d)["initialState"].update(upCard="Xx"), "upCard: The card turned up must be"),
    (lambda d: deal(d)["initialState"].update(upCard="8c"), 'upCard: "8c" is not in the pack'),
    (lambda d: deal(d)["initialState"].update(upCard="L"), 'upCard: "L" is not a card'),
    (lambda d: deal(d)["initialState"].update(dealer=4), "dealer: This must be a whole number"),
    (lambda d: deal(d)["phases"].pop(0), f"{BIDDING}: This phase must have the type EUCHRE"),
    (lambda d: bidding(d).update(phaseNumber=2), f"{BIDDING}.phaseNumber: This must be a whole"),
    (lambda d: number_phases(d, 1, 1), f"{PLAY}.phaseNumber: This must be 2, not 1."),
    (lambda d: number_phases(d, 0, 2), f"{PLAY}.phaseNumber: This must be 1, not 2."),
    (
        lambda d: number_phases(d, None, 3),
        f"{PLAY}.phaseNumber: This must be a whole number from 1",
    ),
    (lambda d: play(d).update(isAlone=True), f"{PLAY}.isAlone: By the bidding, nobody plays alone"),
    (lambda d: play(d).update(isAlone=0), f"{PLAY}.isAlone: This must be true or false, not 0."),
    (
        lambda d: (bidding(d).update(isAlone=True), play(d).update(isAlone=False)),
        f"{PLAY}.isAlone: By the bidding, somebody plays alone",
    ),
    (lambda d: bidding(d).update(aloneDefender=1), "aloneDefender: By the ruleset and the calls"),
    (lambda d: bidding(d).update(cardExchanges=[{}]), f"{BIDDING}.cardExchanges[0]: The key rec"),
    (
        lambda d: bidding(d).update(cardExchanges=[{"receiver": 0, "cards": ["9c"] * 3}]),
        f"{BIDDING}.cardExchanges[0]: EGN does not say which cards are put away",
    ),
    (
        lambda d: bidding(d).update(cardExchanges=[{"sender": 0, "receiver": 2, "cards": ["9c"]}]),
        f"{BIDDING}.cardExchanges[0]: Only a lone maker and the partner give each other a card",
    ),
    (lambda d: bidding(d).update(calls=["s"]), f"{BIDDING}.calls[0]: A suit is named in the"),
    (lambda d: only_calls(d, ["Pass"] * 4 + ["n"]), "The rules of this file do not allow n here"),
    (lambda d: only_calls(d, ["Pass"] * 4 + ["c"]), "calls[4]: Clubs was turned down and"),
    (lambda d: only_calls(d, ["Pass"] * 4 + ["c"]), "seat 3 may call Pass, d, h, s."),
    (lambda d: only_calls(d, ["Pass"] * 8), "calls[7]: The dealer is stuck and may not pass;"),
    (lambda d: only_calls(d, ["Pass"] * 8), "seat 2 may call d, h, s."),
    (lambda d: holding(d, ["Jd"] * 5), f"{HANDS}[0][1]: Jd was dealt already, at {HANDS}[0][0]."),
    (lambda d: holding(d, ["Jd", "Jd", "Xx", "Xx", "Xx"]), f"{HANDS}[0][1]: Jd was dealt already"),
    (lambda d: holding(d, ["Xx", "9s", "Xx", "Xx", "Ns"]), f"{HANDS}[0][4]: Ns was dealt already"),
    (
        lambda d: (holding(d, ["Jd"] * 5).update(phases=[]), d["deals"].pop()),
        f"{HANDS}[0][1]: Jd was dealt already, at {HANDS}[0][0].",
    ),
    (
        lambda d: holding(d, ["Xx", "Kc", "Xx", "Xx", "Xx"]),
        f"{HANDS}[0][1]: Kc was dealt already, at deals[0].initialState.upCard.",
    ),
    (
        lambda d: holding(d, ["Xx"] * 5, ["Th"] + ["Xx"] * 4, ["Xx"] * 4 + ["Th"]),
        f"{HANDS}[2][4]: Th was dealt already, at {HANDS}[1][0].",
    ),
    (
        lambda d: holding(d, [], ["Ad", "Xx", "Xx", "Xx", "Xx"]),
        "deals[0].phases[1].tricks[0][0]: Ad was dealt to seat 1, not to seat 3.",
    ),
    (
        lambda d: (holding(d, ["Th", "Xx", "Xx", "Xx", "Xx"]), bidding(d).update(discard="Th")),
        f"{BIDDING}.discard: Th was dealt to seat 0, not to seat 2.",
    ),
    (
        lambda d: (
            holding(d, [], [], ["9c", "Tc", "Jc", "Qc", "Ac"])["phases"].pop(),
            bidding(d).update(calls=["Order"], discard="9d"),
        ),
        f"{BIDDING}.discard: 9d is not in the hand of seat 2.",
    ),
    (lambda d: only_card(d, "Kc"), "tricks[0][0]: Kc is not in the hand of seat 3."),
    (lambda d: bidding(d).update(calls=["Order", "Pass"]), "calls[1]: Trump is made already"),
    (lambda d: bidding(d).update(calls=["Pass"] * 8), "phases[1].tricks: Nobody made trump"),
    (lambda d: bidding(d).update(discard="Ad"), f"{BIDDING}.discard: Ad was not discarded"),
    (lambda d: tricks(d)[0].pop(), "tricks[0]: This trick must have 4 cards; only the last"),
    (
        lambda d: (bidding(d).update(discard="Th"), tricks(d).pop()),
        "deals[0]: Only the last deal may be unfinished.",
    ),
    (lambda d: tricks(d)[1].__setitem__(0, "Ad"), "Ad was played before, at deals[0].phases[1]"),
    (lambda d: tricks(d)[0].__setitem__(1, "Kd"), "tricks[3][0]: Kd was played before"),
]


@looped("change, told", REFUSED)
def test_an_impossible_value_is_refused_with_its_place(
    change: Callable[[dict[str, Any]], object], told: str
) -> None:
    assert told in refusal(change)


def test_a_renege_is_refused_at_its_card() -> None:
    data = copy.deepcopy(WRITTEN_DOWN)
    data["deals"] = data["deals"][:1]
    deal(data)["initialState"]["playerCards"] = [[], ["Qd", "As", "Js", "9h", "Jh"], [], []]
    only_calls(data, ["Pass", "Pass", "Order"])
    bidding(data)["discard"] = "Kc"
    deal(data)["phases"].append({"type": "TRICK_PLAY", "tricks": [["Ad", "9d", "As"]]})
    with pytest.raises(FileError, match="diamonds") as refused:
        read(data)
    place = "deals[0].phases[1].tricks[0][2]"
    assert str(refused.value) == f"{place}: Seat 1 must follow diamonds; it may play Qd."


def test_nobody_plays_alone_in_a_game_for_two() -> None:
    data = egn_of(random_played(HEADS_UP, "a game"))
    bidding(data)["isAlone"] = True
    with pytest.raises(FileError) as refused:
        read(data)
    assert str(refused.value) == f"{BIDDING}.isAlone: Nobody plays alone in a game for two."


def test_rules_of_ours_that_egn_has_no_words_for_are_named() -> None:
    game = random_played(replace(CLASSIC_24, skunk=4), "a game")
    with pytest.raises(UnsupportedGameError, match="EGN always counts 2 for “skunk”"):
        egn_of(game)


def test_egn_cannot_represent_cards_laid_down() -> None:
    game = random_played(replace(CLASSIC_24, lay_down=True, target=20), "a game")
    with pytest.raises(UnsupportedGameError, match="the last cards were laid down"):
        egn_of(game)


def test_egn_cannot_represent_a_turned_up_joker() -> None:
    joker = replace(JOKER_33, cut=False, target=30)
    with pytest.raises(UnsupportedGameError, match="the joker was turned up"):
        egn_of(random_played(joker, "a game"))
