"""The analysis board as a page: values, lines, playing on, what is refused, and limits."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.test import Client
from django.utils import timezone

from games.analysis import analysing, board_views, playing_on
from games.analysis.analysing import analyse_due
from games.analysis.completing import PositionError
from games.analysis.lines import MOST, Board, Line, parting
from games.analysis.open_line import best_line
from games.analysis.positions import BoardPosition
from games.analysis.valuing import STEPS
from games.engine.actions import DISCARD, ORDERS, Action, action_text
from games.engine.cards import cards_in, mask_of, parse_card
from games.engine.observation import FIRST_ROUND, PLAYING, Observation
from games.engine.rules import CLASSIC_24, RuleSet
from games.live import thinking
from games.models import Analysis
from games.people import limits
from tests.chance import TYPICAL
from tests.counted import value
from tests.factories import logged_in, member, player
from tests.games.analysis.boards import Valuer, choices, game, second_to_play

pytestmark = pytest.mark.django_db
PAGE = "/analysis/board/"
SCRIPT = {"HX-Request": "true"}


@pytest.fixture
def valuer(monkeypatch: pytest.MonkeyPatch) -> Valuer:
    return Valuer(monkeypatch)


@pytest.fixture(autouse=True)
def house(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the house of these tests play its first card, at once."""

    async def first(_position: bytes, seen: Observation) -> Action:
        return seen.legal[0]

    monkeypatch.setattr(thinking, "choose_alike", first)


def get(board: Board, browser: Client | None = None, more: str = "") -> HttpResponse:
    return (browser or Client()).get(f"{PAGE}?{board.query}{more}")  # type: ignore[return-value]


def post(what: str, board: Board, browser: Client | None = None, **fields: str) -> HttpResponse:
    data = {"board": board.query, **fields}
    return (browser or Client()).post(f"{PAGE}{what}", data)  # type: ignore[return-value]


def led_to(response: HttpResponse) -> Board:
    assert response.status_code == 303, response.content
    return Board.parse(QueryDict(urlsplit(response.headers["Location"]).query).dict())


def text_of(response: HttpResponseBase) -> str:
    assert isinstance(response, HttpResponse)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


# Values --------------------------------------------------------------------------------------


def test_opening_works_nothing_out_and_a_press_does(valuer: Valuer) -> None:
    board, browser = second_to_play(), Client()
    page = get(board, browser)
    assert page.status_code == 200
    assert "Work it out" in text_of(page)
    assert "load delay" not in page.content.decode()  # nobody is logged in
    assert not Analysis.objects.exists()
    assert led_to(post("ask", board, browser)) == board
    assert "Starts in a moment" in text_of(get(board, browser))
    analyse_due()
    said = text_of(get(board, browser))
    assert f"{STEPS[-1]} deals" in said
    assert re.search(r"is best\.|Too close to say\.", said)
    assert len(re.findall("± 0\\.", said)) == len(board.here.seen().legal)


def test_a_member_need_not_press() -> None:
    page = get(second_to_play(), logged_in(member()))
    assert "load delay:400ms" in page.content.decode()
    assert not Analysis.objects.exists()


def test_progress_is_polled_and_ends(valuer: Valuer) -> None:
    board, browser = second_to_play(), Client()
    asked = browser.post(f"{PAGE}ask", {"board": board.query}, headers=SCRIPT)
    assert 'hx-trigger="every 1s"' in asked.content.decode()

    def look() -> None:
        part = browser.get(f"{PAGE}worth?{board.query}", headers=SCRIPT)
        seen.append(re.findall(r"(\d+ of \d+) deals|Starts in a moment", part.content.decode()))

    seen: list[list[str]] = []
    valuer.meanwhile = look
    analyse_due()
    assert seen == [[""], ["24 of 600"], ["100 of 600"], ["240 of 600"]]
    part = browser.get(f"{PAGE}worth?{board.query}", headers=SCRIPT).content.decode()
    assert "every 1s" not in part
    assert "Stop" not in part


def test_stop_and_go_on(valuer: Valuer) -> None:
    board, browser = second_to_play(), Client()
    post("ask", board, browser)
    valuer.meanwhile = lambda: None if valuer.asked == [0] else stopped.append(post("stop", board))

    stopped: list[HttpResponse] = []
    analyse_due()
    assert [led_to(one) for one in stopped] == [board]
    said = text_of(get(board, browser))
    assert "24 of 600 deals" in said
    assert "Go on" in said


def test_nobody_stops_what_somebody_else_asked_for(valuer: Valuer) -> None:
    board, asker = second_to_play(), logged_in(member())
    post("ask", board, asker)
    others = Client()
    refused = post("stop", board, others)
    assert refused.status_code == 403
    assert board_views.NOT_YOURS in text_of(refused)
    assert "Stop" not in text_of(get(board, others))
    assert "Stop" in text_of(get(board, asker))
    assert led_to(post("stop", board, asker)) == board
    assert "Work it out" in text_of(get(board, others))
    assert led_to(post("stop", board, others)) == board  # nothing is at work


def test_forty_positions_an_hour(valuer: Valuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ANALYSES_IN_AN_HOUR", 2)
    played, browser = game(), logged_in(player())
    boards = [
        Board(BoardPosition.of_decision(played, hand, step), seen.turn)
        for hand, step, seen in choices(played)
    ][:4]
    for board in boards[:2]:
        assert led_to(post("ask", board, browser)) == board
        analyse_due()
    again = timezone.localtime(timezone.now() + timedelta(seconds=limits.HOUR))
    refused = post("ask", boards[2], browser)
    assert refused.status_code == 429
    assert f"That was 2 this hour. More at {again:%H:}" in text_of(refused)
    by_script = browser.post(f"{PAGE}ask", {"board": boards[2].query}, headers=SCRIPT)
    assert "That was 2 this hour." in text_of(by_script)
    # What is known already is shown, others may ask, and playing on works.
    assert "600 deals" in text_of(get(boards[0], browser))
    assert led_to(post("ask", boards[0], browser)) == boards[0]
    assert led_to(post("ask", boards[2], logged_in(player("Ben")))) == boards[2]
    action = action_text(boards[3].here.seen().legal[0])
    assert led_to(post("play", boards[3], browser, action=action)).lines


def test_what_fails_can_be_tried_again(valuer: Valuer) -> None:
    board = second_to_play()
    post("ask", board)
    valuer.fails = [RuntimeError("no worlds")] * analysing.MAX_TRIES
    analyse_due()
    said = text_of(get(board))
    assert analysing.FAILED in said
    assert "Try again" in said


# Refused ------------------------------------------------------------------------------------


def test_nothing_of_a_hand_that_is_played_is_shown_or_worked_out(
    valuer: Valuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = second_to_play()
    post("ask", board)
    analyse_due()
    monkeypatch.setattr(
        board_views, "refusal", lambda *_positions, **_held: "Not while it is being played"
    )
    refused_before = value("bower_analyses_total", state="refused")
    first = action_text(board.here.seen().legal[0])
    answers = [
        get(board), get(board, more="&open=1"), get(board, more="&with=1"),
        Client().get(f"{PAGE}worth?{board.query}"), Client().get(f"{PAGE}open?{board.query}"),
        post("ask", board), post("stop", board), post("play", board, action=first),
    ]  # fmt: skip
    for answer in answers:
        assert answer.status_code == 409
        said = text_of(answer)
        assert "Not while it is being played" in said
        assert "±" not in said
        assert "Best line" not in said
    assert value("bower_analyses_total", state="refused") == refused_before + len(answers)
    # A script that polls loads the page, which says so.
    polled = Client().get(f"{PAGE}worth?{board.query}", headers=SCRIPT)
    assert polled.headers["HX-Refresh"] == "true"


def test_a_position_reached_by_playing_on_is_asked_about_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = second_to_play()._replace(lines=(), as_played=False)
    start = len(board.root.actions)
    monkeypatch.setattr(
        board_views,
        "refusal",
        lambda *positions, **_held: "Not now" if len(positions[-1].actions) > start else "",
    )
    first = action_text(board.here.seen().legal[0])
    assert get(board).status_code == 200
    assert post("play", board, action=first).status_code == 409


def test_what_the_house_does_with_a_hand_in_play_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = second_to_play()._replace(lines=(), as_played=False)
    held = board.here.after(board.here.seen().legal[0]).completed().deal.turn
    assert held != board.seat  # so that this turn is over when the house has answered

    def of_next(*positions: BoardPosition, **_held: object) -> str:
        return "Not now" * any(one.completed().deal.turn == held for one in positions)

    monkeypatch.setattr(board_views, "refusal", of_next)
    first = action_text(board.here.seen().legal[0])
    assert get(board).status_code == 200
    assert post("play", board, action=first).status_code == 409
    assert post("play", board).status_code == 409  # to the end
    for line in (Client().get(f"{PAGE}open?{board.query}"), get(board, more="&open=1")):
        assert "Not now" in text_of(line)
        assert "<tr>" not in line.content.decode()


def test_nobody_can_try_all_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HANDS_IN_TEN_MINUTES", 2)
    played, browser = game(), logged_in(player())
    by_player = {
        (hand, seen.turn): Board(BoardPosition.of_decision(played, hand, step), seen.turn)
        for hand, step, seen in reversed([*choices(played)])
    }
    boards = list(by_player.values())[-3:]
    assert [get(one, browser).status_code for one in (*boards, *boards)] == [200, 200, 429] * 2
    assert board_views.TOO_MANY_HANDS in text_of(get(boards[2], browser))
    assert post("ask", boards[2], browser).status_code == 429
    # Another guest may, until so many were opened from the address; who has an account may, too.
    monkeypatch.setattr(limits, "HANDS_BY_ADDRESS", 3)
    answers = [get(boards[2], logged_in(player(name))).status_code for name in ("Ben", "Una")]
    assert answers == [200, 429]
    assert get(boards[2], logged_in(member("Iris"))).status_code == 200


def test_another_discard_counts_as_another_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HANDS_IN_TEN_MINUTES", 4)
    lead, dealt = (
        mask_of(map(parse_card, text.split())) for text in ("AC KC QC AD KD", "9S TS JS 9H TH")
    )
    hands, ordered = (lead, 0, 0, dealt), ORDERS[:1]
    root = BoardPosition(CLASSIC_24, 3, parse_card("QS"), hands, actions=ordered)
    boards = [Board(root.after(Action(DISCARD, card)), 0) for card in cards_in(dealt)]
    browser = logged_in(player())
    assert [get(board, browser).status_code for board in boards[:3]] == [200, 429, 429]


def test_a_position_that_cannot_be_is_named() -> None:
    board = second_to_play()
    for query, reason in (
        ("", "not a position of this version"),
        (board.query.replace("at=", "x=") + "&at=9.9", "no such seat, line or step"),
        (board.query.replace("seat=", "seat=7"), "no such seat, line or step"),
        (f"p={board.root.text}&lines=" + ".".join(["A"] * 7), f"at most {MOST} lines"),
    ):
        answer = Client().get(f"{PAGE}?{query}")
        assert answer.status_code == 422
        assert reason in text_of(answer)


def test_what_is_not_a_choice_is_refused() -> None:
    board = second_to_play()
    for action in ("play 9Z", "order", "make hearts", "x" * 500):
        answer = post("play", board, action=action)
        assert answer.status_code == 422
        assert board_views.NO_CHOICE in text_of(answer)


# Lines --------------------------------------------------------------------------------------


def test_playing_on_branches_where_it_differs(valuer: Valuer) -> None:
    board = second_to_play()
    played = board.lines[0].actions[0]
    legal = board.here.seen().legal
    # The same card follows the line that is there; another makes a branch beside it.
    assert led_to(post("play", board, action=action_text(played))) == board.at(0, 1)
    other = next(one for one in legal if one != played)
    branched = led_to(post("play", board, action=action_text(other)))
    assert branched.lines[0] == board.lines[0]
    assert branched.line == 1
    whole = branched.here.completed().deal
    assert whole.turn == board.seat or whole.result is not None
    # Back steps delete nothing, and the same card leads on along the branch.
    back: Board | None = branched
    while back is not None and back.step:
        back = back.back
    assert back is not None
    assert back.lines == branched.lines
    assert led_to(post("play", back, action=action_text(other))).line == 1
    # On at the end the line itself goes on, to the end of the hand.
    ended = led_to(post("play", branched))
    assert len(ended.lines) == 2
    assert ended.here.completed().deal.result is not None
    said = text_of(get(ended))
    assert "the hand is over" in said
    assert "As played: " in said


def test_unknown_cards_are_dealt_before_the_house_plays() -> None:
    board = second_to_play(open_hands=False)
    assert board.here.completed().unknown
    assert "Best line" not in text_of(get(board))
    seen = board.here.seen()
    on = led_to(post("play", board, action=action_text(seen.legal[0])))
    assert not on.root.completed().unknown
    assert on.root.seen() == seen
    assert "Best line" in text_of(get(on.at(0, 0)))
    again = led_to(post("play", board, action=action_text(seen.legal[0])))
    assert again == on


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
def test_every_decision_opens_and_plays_on(rules: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HANDS_IN_TEN_MINUTES", 1000)
    monkeypatch.setattr(limits, "HANDS_BY_ADDRESS", 1000)
    played, phases = game(rules), set()
    for hand, step, seen in choices(played):
        if (seen.phase, len(seen.tricks)) in phases:
            continue
        phases.add((seen.phase, len(seen.tricks)))
        for opened in (False, True):
            position = BoardPosition.of_decision(played, hand, step, open_hands=opened)
            board = Board.parse({"p": position.text})
            assert board.seat == seen.turn
            assert get(board).status_code == 200
            on = led_to(post("play", board, action=action_text(seen.legal[-1])))
            assert get(on).status_code == 200
            whole = on.here.completed().deal
            assert whole.result is not None or whole.turn == seen.turn


def test_the_oldest_line_that_was_never_looked_at_goes() -> None:
    board = second_to_play()
    first = board.lines[0].actions[0]
    lines = tuple(Line((first,) * number, looked=number == 2) for number in range(1, MOST + 1))
    full = board._replace(lines=lines, line=0, step=0, as_played=True)
    on = full.played_on(board.lines[0].actions[:2])
    # B was looked at, so C went; the first is what was played.
    assert [len(one.actions) for one in on.lines] == [1, 2, 4, 5, 6, 2]
    assert on.line == MOST - 1
    all_looked = full._replace(lines=tuple(one._replace(looked=True) for one in lines))
    assert [len(one.actions) for one in all_looked.played_on(()).lines] == [1, 3, 4, 5, 6, 0]


def test_a_link_holds_position_and_lines() -> None:
    board = second_to_play()
    there = board.played_on(board.lines[0].actions[1:2] or ()).at(0, 3)
    for one in (board, board.at(0, 2), board._replace(seat=3), board.opened(0)):
        read = QueryDict(one.query)
        assert Board.parse(read.dict()) == one
    assert parse_qs(board.query)["played"] == ["1"]
    assert there.line == 0


def test_stepping_back_before_the_position_keeps_the_lines() -> None:
    board, shown = second_to_play(), 0
    back: Board | None = board
    while back is not None:
        assert get(back).status_code == 200
        assert back.seat == board.seat
        assert back.end(0) == board.end(0)
        shown, back = shown + 1, back.back
    assert shown == len(board.root.actions) + 1


def test_two_lines_are_compared_where_they_part(valuer: Valuer) -> None:
    board = second_to_play()
    played = board.lines[0].actions[0]
    other = next(one for one in board.here.seen().legal if one != played)
    two = led_to(post("play", board, action=action_text(other)))
    assert parting(two.lines[0].actions, two.lines[1].actions) == 0
    said = text_of(get(two, more="&with=0"))
    assert "A and B" in said
    assert "once it is worked out" in said
    post("ask", board)
    analyse_due()
    assert len(re.findall(r"worth [^ ]+ ± 0\.\d\d points", text_of(get(two, more="&with=0")))) == 2
    for wrong in ("1", "7", "x"):
        assert "A and B" not in text_of(get(two, more=f"&with={wrong}"))


def test_the_best_line_is_for_open_hands_only() -> None:
    board = second_to_play()
    page = get(board)
    assert "Nobody at the table could know this" in text_of(page)
    assert "linetable" not in page.content.decode()  # it is worked out when somebody opens it
    for answer in (Client().get(f"{PAGE}open?{board.query}"), get(board, more="&open=1")):
        assert answer.content.decode().count("<tr>") == 5
    deal = board.here.deal()
    assert deal is not None
    line = best_line(deal)
    assert line is not None
    assert line.deal.result is not None
    side = deal.rules.side_of(deal.turn)
    assert line.deal.won[side] == max(line.tricks.values())
    assert set(line.tricks) == {one.value for one in deal.legal_actions()}
    closed = second_to_play(open_hands=False)
    assert not Client().get(f"{PAGE}open?{closed.query}").content
    played = game()
    hand, step, _ = next(choices(played, lambda seen: seen.phase == FIRST_ROUND))
    bidding = Board.parse(
        {"p": BoardPosition.of_decision(played, hand, step, open_hands=True).text}
    )
    assert "Best line" not in text_of(get(bidding))
    assert bidding.here.completed().deal.phase != PLAYING


def test_a_busy_house_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def for_ever(_position: bytes, _seen: Observation) -> Action:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(thinking, "choose_alike", for_ever)
    monkeypatch.setattr(playing_on, "_WITHIN", 0.0)
    board = second_to_play()
    other = next(one for one in board.here.seen().legal if one != board.lines[0].actions[0])
    answer = post("play", board, action=action_text(other))
    assert answer.status_code == 503
    assert board_views.BUSY in text_of(answer)


def test_presses_that_the_house_answers_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PLAYED_ON_IN_A_MINUTE", 1)
    board, browser = second_to_play(), logged_in(player())
    first = action_text(board.lines[0].actions[0])
    assert post("play", board, browser, action=first).status_code == 303
    assert post("play", board, browser, action=first).status_code == 429


def test_the_house_needs_all_hands() -> None:
    from asgiref.sync import async_to_sync

    with pytest.raises(PositionError, match="all hands are known"):
        async_to_sync(playing_on.house_answers)(second_to_play(open_hands=False).here, 0)
