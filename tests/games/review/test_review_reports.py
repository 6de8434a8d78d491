"""A review of a whole game: as data, in sums, and in sentences."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from games.bots import random_player
from games.engine.actions import parse_action
from games.engine.deal import Deal
from games.engine.rules import CLASSIC_24, RuleSet
from games.files.played import PlayedGame
from games.picture.cast import cast_of
from games.review.decisions import decisions
from games.review.judging import MARKS, Judgement, Option
from games.review.reasons import ReviewCase, reason
from games.review.reports import GameReport, Judged, from_data, judge_hand, to_data
from games.review.showing import Viewing
from games.review.summary import summary
from games.review.sums import balance, curve, sum_of
from tests.chance import PUBLISHED
from tests.engine.build import deal
from tests.games.review.games import NAMES, play


def invented(game: PlayedGame, rng: Random) -> GameReport:
    """Return a report with verdicts by chance, which costs no time."""
    judged = []
    for one in decisions(game):
        mark = rng.choice(("", "", *MARKS))
        others = [option for option in one.seen.legal if option != one.taken]
        best, loss = (rng.choice(others), rng.uniform(0.2, 2.0)) if mark else (one.taken, 0.0)
        value = rng.uniform(-2, 2)
        options = [Option(best, value + loss)] if mark else []
        options += [Option(one.taken, value)]
        verdict = Judgement(mark, best, loss, 0.1 if mark else 0.0, 200, tuple(options))
        judged.append(Judged(one.hand, one.step, one.seat, one.taken, rng.random() < 0.2, verdict))
    return GameReport(tuple(judged))


def test_a_hand_judged_again_is_judged_the_same() -> None:
    played = play(CLASSIC_24, Random(2), 1).deals[0]
    first = judge_hand(played, "a game")
    assert first == judge_hand(played, "a game")
    assert [(one.hand, one.step) for one in first] == [
        (one.hand, one.step) for one in decisions(play(CLASSIC_24, Random(2), 1))
    ]


def test_a_report_comes_back_from_its_data() -> None:
    played = play(CLASSIC_24, Random(6), 1, random_player.choose).deals[0]
    judged = judge_hand(played, "a game", stood_in={3})
    report = from_data(json.loads(json.dumps(to_data(judged))))
    assert [one.stood_in for one in report.decisions] == [one.step == 3 for one in judged]
    for one, other in zip(report.decisions, judged, strict=True):
        assert one._replace(judgement=other.judgement) == other
        assert (one.mark, one.judgement.best) == (other.mark, other.judgement.best)
        assert one.value == pytest.approx(other.value, abs=0.001)
        assert one.judgement.loss == pytest.approx(other.judgement.loss, abs=0.001)
        options = [option.action for option in other.judgement.options]
        assert [option.action for option in one.judgement.options] == options


@pytest.mark.parametrize("rules", PUBLISHED.values(), ids=PUBLISHED)
def test_play_and_luck_add_up_to_the_score(rules: RuleSet) -> None:
    game = play(rules, Random(5), 6)
    report = invented(game, Random(7))
    score = game.standing.score
    for side in (0, 1):
        found = balance(game, report, side)
        assert found.ours + found.theirs + found.luck == pytest.approx(found.total)
        assert found.total == score[side] - score[1 - side]
        assert found.ours <= 0 <= found.theirs
    ours, theirs = (balance(game, report, side) for side in (0, 1))
    assert ours.ours == pytest.approx(-theirs.theirs)
    assert ours.luck == pytest.approx(-theirs.luck)


def test_a_players_sum_leaves_out_what_others_did_for_them() -> None:
    game = play(CLASSIC_24, Random(5), 4)
    report = invented(game, Random(8))
    for seat in range(4):
        mine = [one for one in report.decisions if one.seat == seat and not one.stood_in]
        decisions, marks, lost, error = sum_of(report, seat)
        assert decisions == len(mine)
        assert sum(marks) == sum(one.mark != "" for one in mine)
        assert lost == pytest.approx(sum(one.lost for one in mine))
        assert error == pytest.approx(0.1 * sum(marks) ** 0.5)
    assert any(one.stood_in for one in report.decisions)


def test_the_curve_falls_by_what_was_lost_and_ends_at_the_result() -> None:
    game = play(CLASSIC_24, Random(5), 4)
    report = invented(game, Random(9))
    for played in game.deals:
        for seat in range(4):
            points = curve(played, report, seat)
            steps = [point.step for point in points]
            assert steps == sorted(steps)
            for before, after in pairwise(points):
                if after.lost:
                    assert before.value - after.value == pytest.approx(after.lost)
            result = played.deal.result
            assert result is not None
            assert points[-1].step == played.steps
            assert abs(points[-1].value) == result.points


# Sentences ----------------------------------------------------------------------------------


def why(state: Deal, taken: str, best: str, loss: float = 0.42) -> str:
    """Return the sentence as text, cards by their codes."""
    seen = state.observe(state.turn)
    assert {parse_action(taken), parse_action(best)} <= set(seen.legal)
    words = reason(ReviewCase(seen, parse_action(taken), parse_action(best), loss, cast_of(NAMES)))
    return "".join(word if isinstance(word, str) else word[-1] for word in words)


def test_calls() -> None:
    light = deal("QH", North="9H TH QC 9S TS")
    assert why(light, "order", "pass") == (
        "Ordering it up loses 0.4 points here: two trumps and no bower."
    )
    assert "A partner would help." in why(light, "order alone", "order")
    strong = deal("QH", North="JH JD AH AC TS")
    assert why(strong, "pass", "order alone", 1.2) == (
        "Passing loses 1.2 points here. Ordering it up alone is better: three trumps, both bowers"
        " and an ace outside."
    )
    assert why(strong, "order", "order alone", 0.5) == (
        "Playing alone gains 0.5 points: three trumps, both bowers and an ace outside."
    )
    dealer = deal("QH", "pass, pass, pass", West="9H AC TC KD 9D")
    assert why(dealer, "order", "pass") == (
        "Taking it up loses 0.4 points here: two trumps with the turn-up, no bower and an ace"
        " outside."
    )
    second = deal("QH", "pass, pass, pass, pass", North="JS AS KS 9C TC")
    assert why(second, "make C", "make S") == (
        "Calling spades is 0.4 points better: three trumps and the right bower."
    )
    assert why(second, "make C", "pass") == (
        "Calling clubs loses 0.4 points here: three trumps, the left bower and an ace outside."
    )


def test_discards() -> None:
    state = deal("QH", "pass, pass, pass, order", West="JH 9H AC TC 9D")
    assert why(state, "discard 9H", "discard TC") == "Keep every trump. TC can go."
    assert why(state, "discard TC", "discard 9D") == (
        "Throw 9D: with no diamonds left, a trump can take that suit."
    )
    assert why(state, "discard AC", "discard TC") == (
        "Your AC can only be trumped. Keep it and throw TC."
    )


FOLLOWING = "order, discard 9C, play AC, play QC"
HANDS: dict[str, Any] = {
    "North": "AC 9D KD TS 9S",
    "East": "QC QD JS KS QS",
    "South": "AH TH 9H TD AS",
    "West": "9C KC AD TC KH",
}


def test_cards_to_follow_with() -> None:
    state = deal("QH", FOLLOWING, **HANDS)
    assert why(state, "play AH", "play TD") == (
        "Maeve’s AC is already winning. Play TD and keep AH for later."
    )
    assert why(state, "play AH", "play TH") == "TH beats Maeve’s AC too. Keep AH for later."
    assert why(state, "play TH", "play AH") == (
        "An opponent who plays later may beat TH. AH is harder to beat."
    )
    assert why(state, "play AS", "play TD") == (
        "Your AS can only be trumped. Keep it and throw TD."
    )
    last = deal("QH", f"{FOLLOWING}, play TD", **HANDS)
    assert why(last, "play TC", "play KC") == ""


def test_cards_to_lead() -> None:
    maker = deal("QH", "order, discard 9C", North="JH AH 9S TS AD", West="9C KC TD TC KH")
    assert why(maker, "play 9S", "play JH") == (
        "The other side may still hold trumps. Draw them: lead JH."
    )
    assert why(maker, "play JH", "play AD") == "Keep JH for later. Lead AD."
    assert why(maker, "play AH", "play JH") == (
        "Lead the higher trump: JH is harder to beat than AH."
    )
    defender = deal("QH", "pass, order, discard 9C", North="TH AD 9S TS QD", West="9C KC TD TC KH")
    assert why(defender, "play TH", "play AD") == "Leading TH helps the makers. Lead AD."
    assert why(defender, "play 9S", "play AD") == "Lead AD: it can only be trumped."


def test_where_no_rule_fits_nothing_is_said() -> None:
    state = deal("QH", "order, discard 9C", North="JH AH 9S TC AD", West="9C KC TD QC KH")
    assert why(state, "play 9S", "play TC") == ""
    assert why(state, "play TC", "play AD") != ""


def test_a_suit_that_nobody_can_lead_is_no_reason_to_throw_its_last_card() -> None:
    state = deal(
        "QC",
        "pass, pass, pass, pass, make H, play 9C, play JC, play KC, play AC, play AS",
        North="9C TC 9H KD 9D",
        East="JC 9S TS QS TD",
        South="KC KS JS TH QH",
        West="AC AS KH QD AD",
    )
    assert why(state, "play 9D", "play TC") == ""


# The sum of a game --------------------------------------------------------------------------


def test_nobody_has_won_a_game_that_was_not_played_to_its_end() -> None:
    game = play(CLASSIC_24, Random(5), 3)
    ours, theirs = game.standing.score
    assert ours > theirs
    report = invented(game, Random(7))
    heads = [
        summary(game, report, Viewing(seat, you))["result"]
        for seat, you in ((0, 0), (2, 0), (1, 0), (0, 3), (1, None))
    ]
    assert heads == [
        f"You were ahead by {ours - theirs}",
        f"You were ahead by {ours - theirs}",
        f"Ben and Jonah were behind by {ours - theirs}",
        f"Maeve and Iris were ahead by {ours - theirs}",
        f"Ben and Jonah were behind by {ours - theirs}",
    ]
    whole = play(CLASSIC_24, Random(5), 99)
    won = whole.standing.winner
    by = abs(whole.standing.score[0] - whole.standing.score[1])
    report = invented(whole, Random(7))
    assert summary(whole, report, Viewing(won, won))["result"] == f"You won by {by}"
    level = play(CLASSIC_24, Random(5), 0)
    assert summary(level, GameReport(()), Viewing(0, None))["result"] == "The scores were level"
