"""PTN: the described example is read, what is written reads back, and errors name line and tag."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import Final

import pytest

from games.engine.actions import CUT
from games.engine.cards import is_joker, parse_card
from games.engine.rules import (
    CLASSIC_24,
    HEADS_UP,
    JOKER_33,
    MAKER,
    NEVER,
    STICK_THE_DEALER,
    RuleSet,
)
from games.files.egn import egn_of, read_egn
from games.files.importing import read_games
from games.files.played import PlayedDeal, PlayedGame
from games.files.ptn import MAX_HANDS, write_ptn
from games.files.strict_json import MAX_BYTES, FileError, FileNode, UnsupportedGameError
from tests.chance import CLUB_24, SOURCES, random_played, rules_of
from tests.volume import scaled

#: A hand as PTN describes it: east orders up, west takes the queen and discards the king of clubs.
HAND: Final = r"""% PTN ---
[Event "Practice, to 10"]
[UTCDate "2026.11.19"]
[UTCTime "20:23:05"]
[GameScores "us 3, them \"4\" -> 5"]
[GameOptionsJson "{\"gameOverScore\":10}"]
[East "Ben 4711"]
[West "Robo (Auto)"]
[Dealer "W"]
[Deal "W:Q9.AK..K A.Q..AJT J..JT9.9 KT.T.K.Q"]
[Undealt "DQHJH9DA"]
[Declarer "E"]
[Contract "♦"]
[Auction "N"]
Pass ♦ - -
[CardsAdded "W:DQ"]
[CardsRemoved "W:CK"]
[Play "N"]
SA SJ ST S9
CA C9 CQ DQ
HQ D9 HT HA
CT DJ DK SQ
CJ DT SK HK
"""
#: A lone hand in the second round: south makes it clubs, north sits out, east leads.
ALONE: Final = """[Event "Alone"]
[Dealer "N"]
[Deal "N:T9.9.9.9 A.A.A.AT - K.K.K.KQ"]
[Undealt "SQ"]
[Auction "E"]
Pass Pass Pass Pass
Pass C alone
[Play "E"]
HA HJ HK -
"""


def read(text: str) -> list[PlayedGame]:
    return read_games(text.encode())


def changed(old: str, new: str, text: str = HAND) -> str:
    assert old in text
    return text.replace(old, new, 1)


def actions(one: PlayedDeal) -> list[object]:
    return [action for action in one.deal.actions if action.kind != CUT]


def usual_points(rules: RuleSet) -> RuleSet:
    """Rules with the points of PTN, all tricks played."""
    return replace(
        rules, lay_down=False, made=1, march=2, alone_made=1, alone_march=4, euchre=2, skunk=2,
        alone_euchre=None,
    )  # fmt: skip


# Reading ----------------------------------------------------------------------------------


def test_a_single_hand_is_read_with_its_players_and_rules() -> None:
    (game,) = read(HAND)
    (one,) = game.deals
    assert game.players == ("North", "Ben 4711", "South", "Robo (Auto)")
    assert (game.title, game.date) == ("Practice, to 10", "2026.11.19 20:23:05")
    assert (game.rules.target, game.rules.stick_the_dealer) == (10, False)
    assert one.deal.discarded == parse_card("KC")
    assert [trick.winner for trick in one.deal.tricks] == [0, 3, 1, 1, 1]
    assert one.deal.tricks[2].leader == 3  # although west stands in the last column
    assert one.deal.result is not None
    assert (one.deal.result.side, one.deal.result.points) == (1, 1)
    assert ("GameScores", 'us 3, them "4" -> 5') in one.said
    assert r'[GameScores "us 3, them \"4\" -> 5"]' in write_ptn(game).decode()


def test_a_lone_hand_of_which_one_hand_is_unknown() -> None:
    (game,) = read(ALONE)
    (one,) = game.deals
    assert (one.deal.maker, one.deal.sitting_out, one.deal.alone) == (2, (0,), True)
    assert [seat for seat, _ in one.deal.tricks[0].plays] == [1, 2, 3]
    assert parse_card("JH") in {card for card in range(32) if one.deal.start[0][2] >> card & 1}
    assert len(one.unknown) == 4
    again = write_ptn(game)
    assert b"N:T9.9.9.9 A.A.A.AT - K.K.K.KQ" in again
    assert read_games(again)[0].deals[0].deal.actions == one.deal.actions


@pytest.mark.parametrize("call", ["C alone", "c ALONE", "♣ alone", "♣alone", "♣\ufe0f alone"])
def test_a_call_may_be_a_letter_or_a_sign(call: str) -> None:
    assert read(changed("C alone", call, ALONE))[0].deals[0].deal.alone


def test_consecutive_hands_are_read_as_one_game() -> None:
    thrown_in = ALONE.split("Pass C")[0].replace("Alone", "Practice, to 10") + "Pass Pass Pass Pass"
    names = '[East "Ben 4711"]\n[West "Robo (Auto)"]\n[Dealer "N"]'
    thrown_in = thrown_in.replace('[Dealer "N"]', names)
    (game,) = read(f"{HAND}\n{thrown_in}\n\n{thrown_in}")
    assert [one.deal.dealer for one in game.deals] == [3, 0, 0]
    assert [one.after.score for one in game.deals] == [(0, 1)] * 3
    assert [len(game.deals) for game in read(HAND + HAND)] == [1, 1]  # the dealer does not follow
    assert [len(game.deals) for game in read(HAND + ALONE)] == [1, 1]  # other players


def test_the_options_are_the_rules() -> None:
    options = r"{\"GameOverScore\":7,\"stickTheDealer\":true,\"noAlone\":true,\"goUnder\":null}"
    rules = read(changed(r"{\"gameOverScore\":10}", options))[0].rules
    assert (rules.target, rules.stick_the_dealer, rules.alone) == (7, True, False)
    with_joker = read(changed(r"{\"gameOverScore\":10}", r"{\"withJoker\":true}"))[0].rules
    assert with_joker.pack == 25


def test_a_hand_not_played_out_is_read_as_far_as_it_went() -> None:
    cut = HAND[: HAND.index("HQ D9")] + "- - - HA"
    (game,) = read(cut)
    assert game.deals[0].deal.result is None
    assert len(game.deals[0].deal.tricks) == 2
    assert len(game.deals[0].deal.plays) == 1
    (again,) = read_games(write_ptn(game))
    assert again.deals[0].deal.actions == game.deals[0].deal.actions
    bare = HAND[: HAND.index("[Declarer")]
    assert read(bare)[0].deals[0].deal.actions == []


# Writing ----------------------------------------------------------------------------------


@pytest.mark.parametrize("source", SOURCES)
def test_every_finished_hand_reads_back_the_same(source: str) -> None:
    told = 0
    for number in range(scaled(30)):
        seed = f"{source} {number}"
        game = random_played(usual_points(rules_of(source, Random(seed))), seed)
        for one in game.deals:
            try:
                written = write_ptn(game, one.number)
            except UnsupportedGameError:
                assert is_joker(one.deal.start[1])
                continue
            told += 1
            (read_game,) = read_games(written)
            (again,) = read_game.deals
            if not game.rules.benny:  # a Benny reads as a joker
                assert again.deal.start == one.deal.start
                assert actions(again) == actions(one)
            assert again.deal.result == one.deal.result
            assert not again.unknown
            assert read_game.players == game.players
            assert game.rules.target is None or write_ptn(read_game) == written
    assert told


@pytest.mark.parametrize("rules", [CLASSIC_24, HEADS_UP, STICK_THE_DEALER], ids=lambda r: r.key)
def test_a_whole_game_reads_back_with_its_score(rules: RuleSet) -> None:
    for events in (None, *range(1, 60, 7)):
        game = random_played(rules, "a game", events=events)
        (again,) = read_games(write_ptn(game))
        assert [actions(one) for one in again.deals] == [actions(one) for one in game.deals]
        assert again.standing == game.standing


def test_a_joker_in_a_hand_is_the_high_card_of_a_fifth_suit() -> None:
    game = next(
        game
        for number in range(99)
        if b".H " in write_ptn(game := random_played(replace(JOKER_33, target=1), f"{number}"))
        or b'.H"' in write_ptn(game)
    )
    written = write_ptn(game)
    assert rb"\"withJoker\": true, \"deckSize\": 32" in written
    assert read_games(written)[0].standing.score == game.standing.score


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (replace(CLASSIC_24, alone_march=5), "PTN always counts 4 for “alone march”"),
        (replace(CLASSIC_24, euchre=4, skunk=4), "PTN always counts 2 for “euchre”"),
        (replace(CLASSIC_24, lay_down=True, target=20), "the last cards were laid down; PTN needs"),
        (replace(JOKER_33, target=30), "the joker was turned up; PTN has no field for its suit"),
    ],
    ids=["points", "euchre", "laid down", "joker"],
)
def test_what_ptn_cannot_express_is_named(rules: RuleSet, told: str) -> None:
    with pytest.raises(UnsupportedGameError, match=told):
        write_ptn(random_played(rules, "a game"))


def test_a_game_of_which_only_a_part_is_known_is_not_written() -> None:
    data = egn_of(random_played(replace(CLASSIC_24, target=2), "a game"))
    del data["metadata"]["finalScore"], data["deals"][1:]
    played = next(one for one in data["deals"][0]["phases"] if "tricks" in one)
    played["tricks"][2][1] = "Xx"
    with pytest.raises(UnsupportedGameError, match="Only a part of this game is known"):
        write_ptn(read_egn(FileNode(data)))


# Refusals ---------------------------------------------------------------------------------

OPTIONS: Final = r"{\"gameOverScore\":10}"
THREE: Final = "SA SJ ST S9\nCA C9 CQ DQ\nHQ D9 HT HA"
REFUSED: list[tuple[str, str, str]] = [
    (OPTIONS, r"{\"numDecks\":2}", "line 6, GameOptionsJson: Bower does not play numDecks:"),
    (OPTIONS, r"{\"variation\":1}", "line 6, GameOptionsJson: Bower does not play variation: 1"),
    (OPTIONS, r"{\"take4for1\":true}", "line 6, GameOptionsJson: Bower does not play take4for1:"),
    (OPTIONS, r"{\"allowNotrump\":true,\"withJoker\":true}", "no_trump: cannot be played with a"),
    *[
        (OPTIONS, rf"{{\"players\":{n}}}", f"Bower is for 2 or 4 players, not {n}.")
        for n in (3, 5, 6)
    ],
    (OPTIONS, r"{\"deckSize\":20}", "line 6, GameOptionsJson: pack: must be one of 24, 25, 28"),
    (OPTIONS, r"{\"gameOverScore\":0}", "line 6, GameOptionsJson: target: a game needs 1"),
    (OPTIONS, r"{\"goUnder\":1}", "line 6, GameOptionsJson, goUnder: This must be true or false"),
    (OPTIONS, "[1]", "line 6, GameOptionsJson: The options must be an object"),
    (OPTIONS, "{", "line 6, GameOptionsJson: This is not JSON"),
    (OPTIONS, r"{\"a\":1,\"a\":2}", "line 6, GameOptionsJson: The key"),
    ("[Event ", "[Evnt ", "line 2, Evnt: The tag Event begins a hand"),
    ('[Dealer "W"]', "", "line 2, Event: The tag Dealer of this hand is missing."),
    ('[Dealer "W"]', '[Dealer "Q"]', 'line 9, Dealer: This must be one of N, E, S, W, not "Q"'),
    ('[Dealer "W"]', '[Dealer ""]', 'line 9, Dealer: This must be one of N, E, S, W, not ""'),
    ('[Auction "N"]', '[Auction "NE"]', "line 14, Auction: This must be one of N, E, S, W"),
    ('[Dealer "W"]', '[Dealer "W"', "line 9: This is not a tag such as"),
    ('[Dealer "W"]', '[Dealer "W"]\n[Dealer "W"]', "line 10, Dealer: This hand has the tag"),
    (" KT.T.K.Q", "", "line 10, Deal: This must be a seat, a colon and 4 hands"),
    ("W:Q9", "X:Q9", "line 10, Deal: This must be one of N, E, S, W"),
    ("Q9.AK..K", "Q9.AK..", "line 10, Deal, west: A hand has 5 cards; it is - where none"),
    ("Q9.AK..K", "Q9.AZ..K", 'line 10, Deal, west: "HZ" is not a card such as'),
    ("Q9.AK..K", "Q9.A8..K", 'line 10, Deal, west: "H8" is not in the pack of 24 cards.'),
    ("Q9.AK..K", "Q9.AQ..K", "Deal, west: HQ was dealt already, at line 10, Deal, north."),
    ("DQHJH9DA", "DQHJH9D", 'line 11, Undealt: "D" is not a card'),
    ("DQHJH9DA", "", 'line 11, Undealt: "" is not a card'),
    ("DQHJH9DA", "DJHJH9DA", "Deal, east: DJ was dealt already, at line 11, Undealt."),
    ("DQHJH9DA", "DQHJH9CK", "line 11, Undealt: CK was dealt already, at line 10, Deal, west."),
    ('[Auction "N"]', '[Auction "E"]', "line 14, Auction: North, at dealer's left, speaks first."),
    ("Pass ♦ - -", "Pass ♥ - -", "line 15, Auction: The first round has Pass or ♦"),
    ("Pass ♦ - -", "Pass NT - -", "line 15, Auction: The first round has Pass or ♦"),
    ("Pass ♦ - -", "Pass ♦ Pass -", "line 15, Auction: Trump is made already"),
    ("Pass ♦ - -", "Pass Order", 'line 15, Auction: "Order" is not a call'),
    ("Pass ♦ - -", "Pass " * 9, "line 15, Auction: The bidding has two rounds."),
    ("Pass ♦ - -", "♦", "line 12, Declarer: The auction says otherwise."),
    ('[Contract "♦"]', '[Contract "♦ alone"]', "line 13, Contract: The auction says otherwise."),
    ('[Contract "♦"]', '[Contract "NT↓"]', "line 13, Contract: The auction says otherwise."),
    ('"W:DQ"', '"W:DA"', "line 16, CardsAdded: The dealer takes the turn-up, DQ."),
    ('"W:DQ"', '"N:DQDADJ"', "line 16, CardsAdded: Who gets three cards puts three away"),
    ('"W:CK"', '"W:CKHAHK"', "line 17, CardsRemoved: By the options of this hand nobody swaps"),
    ('"W:CK"', '"W:CKHA"', "line 17, CardsRemoved: This must be a seat, a colon and a card or"),
    ('"W:CK"', '"N:CK"', "line 17, CardsRemoved: Only the dealer takes the turn-up"),
    ('"W:CK"', '"W:CA"', "line 17, CardsRemoved: CA was dealt to north, not to west."),
    ('"W:CK"', '"W:SQ"', "line 17, CardsRemoved: SQ was not discarded, it was played."),
    ('[Play "N"]', '[CardsPassed "E:W:D9"]\n[Play "N"]', "CardsPassed: Only a lone maker and"),
    ('[Play "N"]', '[Play "E"]', "line 18, Play: North, at dealer's left, leads here, not east."),
    ("SA SJ ST S9", "SA SJ ST", "line 19, Play: A trick has 4 columns"),
    ("SA SJ ST S9", "SA - ST S9", "line 19, Play: North leads this trick, and a card before"),
    (
        THREE, THREE.replace("SJ", "D9").replace("HQ D9", "HQ SJ"),
        "line 19, Play: East must follow spades; it may play SJ.",
    ),
    ("SA SJ ST S9", "SA HJ ST S9", "line 19, Play: HJ was not dealt, it is left in the kitty."),
    ("CA C9 CQ DQ", "CA C9 CQ C9", "line 20, Play: C9 was played before, at line 20, Play."),
    ("CJ DT SK HK", "CJ DT SK HK\nCJ DT SK HK", "line 24, Play: A hand has 5 tricks."),
    ("CJ DT SK HK", "CJ DT SK 10", 'line 23, Play: "10" is not a card'),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "told"), REFUSED, ids=[told for *_, told in REFUSED])
def test_an_impossible_value_is_refused_with_its_line(old: str, new: str, told: str) -> None:
    with pytest.raises(FileError) as refused:
        read(changed(old, new))
    assert told in str(refused.value)


def test_who_sits_out_plays_no_card_and_nobody_alone_where_that_is_not_played() -> None:
    with pytest.raises(FileError, match="line 9, Play: North sits out and plays no card"):
        read(changed("HA HJ HK -", "HA HJ HK H9", ALONE))
    without = changed("[Dealer", '[GameOptionsJson "{\\"noAlone\\":true}"]\n[Dealer', ALONE)
    with pytest.raises(
        FileError, match="line 8, Auction: By the options of this hand nobody plays"
    ):
        read(without)


def test_too_many_hands_and_too_large_a_text_are_refused() -> None:
    hand = HAND.removeprefix("% PTN ---\n")
    line = hand.count("\n") * MAX_HANDS + 1
    with pytest.raises(FileError, match=rf"line {line}, Event: .* 1 to 100 of them"):
        read(hand * (MAX_HANDS + 1))
    with pytest.raises(FileError, match="line 24, Play: A hand has 5 tricks"):
        read(HAND + "C9 " * 100_000 + "\nx" * 100_000)
    with pytest.raises(FileError, match="at most 1,000,000 bytes"):
        read_games(HAND.encode() + b" " * MAX_BYTES)


def test_garbled_and_truncated_texts_are_games_or_refused_with_a_line() -> None:
    texts = [HAND, ALONE, *(write_ptn(random_played(rules, "a game")).decode() for rules in (
        replace(CLASSIC_24, target=2), replace(HEADS_UP, target=2),
        usual_points(replace(CLUB_24, target=3, fold=NEVER, lone_lead=MAKER)),
    ))]  # fmt: skip
    refused: list[FileError] = []
    for number in range(scaled(800)):
        chance = Random(number)
        text = chance.choice(texts)
        for _ in range(chance.choice((1, 1, 2, 5))):
            at, to = sorted(chance.randrange(len(text) + 1) for _ in range(2))
            piece = "".join(chance.choices('AKQJT9SHDC♥♦-.: "[]\\{}\n\x00é', k=chance.randrange(4)))
            match chance.randrange(4):
                case 0:
                    text = text[:at] + piece + text[at + 1 :]
                case 1:
                    text = text[:at]
                case 2:
                    text = text[:at] + text[to:]
                case _:
                    text = text[:to] + text[at:]
            text = text or "%"
        try:
            assert read("% " + text)
        except FileError as why:
            refused.append(why)
    assert refused
    for refusal in refused:
        assert re.match(r"line \d+|the file", refusal.place)
        assert refusal.reason.endswith((".", "?"))


# Beside it --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [b"\x01", b"\x02", b""])
def test_binary_egn_is_named(kind: bytes) -> None:
    with pytest.raises(FileError, match=r"^the file: This is binary EGN \(\.egnb\)"):
        read_games(kind + b"\n\x14Euchre Game Notation\x12\x031.3\xff\xfe")
