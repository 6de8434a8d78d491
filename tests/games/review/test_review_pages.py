"""The pages of a review: who sees them, what they show at each step, and how one is asked for."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from games.access import INVITED_KEY
from games.engine.actions import DISCARD, PLAY
from games.engine.cards import CARD_TEXTS, card_text
from games.engine.rules import CLASSIC_24, RuleSet
from games.figures import MINUS
from games.files.played import fresh_copy
from games.models import Game, GameEvent, Puzzle, Review, SharedDeals, Table
from games.picture.values import Row, Values
from games.records.game_files import played_of
from games.review import embargo, showing, wording
from games.review.reports import GameReport
from games.review.reviewing import MAX_TRIES, ask, own_part, report_of, review_due
from games.review.showing import Viewing
from games.review.summary import summary
from tests.chance import TYPICAL
from tests.factories import cast, logged_in, member, play_out, player, table
from tests.games.review.games import play as game_by_chance
from tests.games.review.judges import Judge, played, reviewed
from tests.tournaments import build

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
OTHERS = ("Otto", "Ada", "Opal", "Silas")


def moment(game: Game, at: str, seat: str = "north", browser: Client | None = None) -> Values:
    address = f"/games/{game.pk}/review/?at={at}&seat={seat}"
    values: Values = (browser or Client()).get(address, headers=JSON).json()
    return values


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
def test_every_moment_of_a_hand_is_shown(rules: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    game = reviewed(monkeypatch, played(rules))
    deal = played_of(game).deals[0]
    for step in range(deal.steps + 1):
        for view in ("north", "south"):
            values = moment(game, f"1.{step}", view)
            assert (values["hand"], values["step"], values["seat"]) == (1, step, view)
            assert values["at.0" if view == "north" else f"at.{rules.players // 2}"] == "s"
    page = Client().get(f"/games/{game.pk}/review/?at=1.{deal.steps}")
    assert page.status_code == 200


def test_a_card_lies_in_its_place_before_it_is_played_with_what_each_is_worth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = reviewed(monkeypatch, played())
    found = 0
    for deal in played_of(game).deals:
        for step, action in enumerate(deal.deal.actions):
            before = deal.at(step)
            if action.kind != PLAY or len(before.legal_actions()) < 2:
                continue
            found += 1
            values = moment(game, f"{deal.number}.{step}")
            lying, tip = values[f"on_table.{before.turn}"]
            assert (lying["card"], tip["text"]) == (CARD_TEXTS[action.value], "blunder")
            worths = [row for row in values[f"fan.{before.turn}"] if "worth" in row]
            legal = {CARD_TEXTS[one.value] for one in before.legal_actions()}
            assert {row["card"] for row in worths} == legal
            assert [row["card"] for row in worths if row["played"]] == [CARD_TEXTS[action.value]]
            assert [row["worth"] for row in worths if row["best"]] == ["+1.00"]
            assert not any(row.get("spent") for row in worths)
            (verdict,) = values["verdict"]
            assert (verdict["text"], verdict["loss"]) == ("Blunder", f"{MINUS}1.50 points")
    assert found > 10


def test_a_marked_card_without_a_rule_says_so_and_names_the_best_card(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = reviewed(monkeypatch, played())
    no_rule, by_rule = set(), 0
    for deal in played_of(game).deals:
        for step, action in enumerate(deal.deal.actions):
            if action.kind not in (PLAY, DISCARD) or len(deal.at(step).legal_actions()) < 2:
                continue
            values = moment(game, f"{deal.number}.{step}")
            words, said = values["why.words"], values["why.said"]
            if (
                words[-1]
                != ". No rule of thumb: it simply wins most often with the cards still out."
            ):
                assert said.removeprefix("Blunder. ")
                assert "rule of thumb" not in said
                by_rule += 1
                continue
            verb, (code,), _ = words
            (best,) = (row for row in values[f"fan.{deal.at(step).turn}"] if row.get("best"))
            assert code == card_text(CARD_TEXTS.index(best["card"]))
            assert (verb, action.kind) in (("Play ", PLAY), ("Discard ", DISCARD))
            no_rule.add(action.kind)
    assert no_rule
    assert by_rule


def test_forced_steps_and_the_end_have_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    game = reviewed(monkeypatch, played())
    deal = played_of(game).deals[0]
    last = moment(game, f"1.{deal.steps - 1}")  # nobody chooses their last card
    assert last["verdict"] == last["worths"] == []
    assert last["why.words"] == ["Nothing to decide here."]
    assert moment(game, f"1.{deal.steps}")["why.words"] == ["The hand is over."]


def test_a_hand_that_was_not_played_to_its_end_is_not_called_over() -> None:
    whole = game_by_chance(CLASSIC_24, Random(5), 2)
    last = whole.deals[-1]
    broken = fresh_copy(last.deal)
    for action in last.deal.actions[:-3]:
        broken.push(action)
    game = whole._replace(deals=(*whole.deals[:-1], last._replace(deal=broken, after=last.before)))
    at = f"2.{len(broken.actions)}"
    values = showing.moment(game, GameReport(()), at, Viewing(0, None))
    assert values["why.words"] == ["The hand was not played to its end."]


def test_the_largest_marks_are_listed_with_the_way_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    maeve = player("Maeve")
    game = reviewed(monkeypatch, played(people=(maeve, *cast()[1:])))
    values = moment(game, "1.0", browser=logged_in(maeve))
    assert len(values["doubts"]) == 6
    first: Row = values["doubts"][0]
    assert first["words"][0].startswith("You ")
    way = re.fullmatch(r"\?at=(\d+\.\d+)&seat=north", values["way.doubt"])
    assert way is not None
    there = moment(game, way[1], browser=logged_in(maeve))
    assert there["why.title"].endswith((": your card", ": your call", ": your discard"))
    others = moment(game, "1.0")
    assert others["doubts"][0]["words"][0].startswith("Maeve ")


def test_a_list_of_the_largest_marks_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    game = reviewed(monkeypatch, played())
    address = f"/games/{game.pk}/review/?seat=north"
    page = Client().get(address).content.decode()
    report = report_of(game)
    assert report is not None
    assert f"the largest 6 of {len(report.of(0))}" in page
    Review.objects.update(result=[one | {"mark": ""} for one in Review.objects.get().result])
    page = Client().get(address).content.decode()
    assert f"0 of {len(report.of(0))} decisions" in page


def test_the_point_on_the_curve_lies_where_the_line_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    game = reviewed(monkeypatch, played())
    report = report_of(game)
    assert report is not None
    for one in report.of(0)[:5]:
        values = moment(game, f"{one.hand}.{one.step}")
        places = values["curve.wide.steps"].split()
        x, y = values["curve.wide.x"], values["curve.wide.y"]
        assert float(x) == float(places[one.step + 1])
        assert f"H{float(x)}V{float(y)}" in values["curve.wide.line"]
        assert values["curve.wide.here"].startswith(f"M{float(x)} ")


def test_who_is_to_call_is_said_in_the_middle_of_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    game = reviewed(monkeypatch, played(people=people))
    report = report_of(game)
    assert report is not None
    who, one = next(
        (people[seat], one)
        for seat in range(4)
        for one in report.of(seat)
        if one.taken.kind not in (PLAY, DISCARD)
    )
    at = f"{one.hand}.{one.step}"
    assert moment(game, at, browser=logged_in(who))["where"].endswith(" round, you to call")
    assert moment(game, at)["where"].endswith(f" round, {who.name} to call")


def test_the_page_sums_up_all_players(monkeypatch: pytest.MonkeyPatch) -> None:
    game = reviewed(monkeypatch, played())
    page = Client().get(f"/games/{game.pk}/review/").content.decode()
    for name in ("Maeve", "Ben", "Iris", "Jonah"):
        assert name in page
    assert "Play and luck, in points" in page
    numbers = re.findall(r'<dd class="num">([^<]+)</dd>', page)
    ours, theirs, luck, total = (Decimal(one.replace(MINUS, "-")) for one in numbers)
    assert ours + theirs + luck == total, "as they are shown"


def test_what_is_shown_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Best less played is the loss; a player's losses make their sum, two players' a side's."""
    game = reviewed(monkeypatch, played())
    report = report_of(game)
    assert report is not None
    sums = summary(played_of(game), report, Viewing(0, 0))
    lost = [Decimal(row["lost"].replace(MINUS, "-")) for row in sums["rows"]]
    for seat in range(4):
        shown = [wording.points(-one.lost) for one in report.of(seat) if one.mark]
        assert sum(Decimal(one.replace(MINUS, "-")) for one in shown) == lost[seat]
    for one in report.decisions:
        if one.mark:
            values = {option.action: option.value for option in one.judgement.options}
            best, taken = (
                Decimal(wording.points(values[action]).replace(MINUS, "-"))
                for action in (one.judgement.best, one.taken)
            )
            assert Decimal(wording.points(one.lost).replace(MINUS, "-")) == best - taken


def test_a_players_page_of_a_finished_game_is_compressed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    game = reviewed(monkeypatch, played(people=people))
    browser = logged_in(people[0])
    for page in ("", "replay/", "review/"):
        answer = browser.get(f"/games/{game.pk}/{page}", headers={"Accept-Encoding": "gzip"})
        assert answer.headers.get("Content-Encoding") == "gzip", page


def test_no_such_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    game = reviewed(monkeypatch, played())
    for query in ("at=99.0", "at=1.99", "at=x", "at=1.0&seat=all", "at=1.0&seat=middle"):
        assert Client().get(f"/games/{game.pk}/review/?{query}").status_code == 404


# Asking -------------------------------------------------------------------------------------


def test_a_player_who_opens_the_page_asks_for_the_review_and_a_visitor_presses_a_button() -> None:
    maeve = player("Maeve")
    game = played(people=(maeve, *cast()[1:]))
    address = f"/games/{game.pk}/review/"
    assert "Review this game" in Client().get(address).content.decode()
    assert not Review.objects.exists()
    assert "The review is being made" in logged_in(maeve).get(address).content.decode()
    assert Review.objects.get().due is not None
    other = played(people=tuple(player(name) for name in OTHERS))
    asked = Client().post(f"/games/{other.pk}/review/")
    assert (asked.status_code, asked["Location"]) == (303, f"/games/{other.pk}/review/")
    assert Review.objects.filter(game=other).exists()


def test_the_page_shows_how_far_the_review_is_and_loads_itself_when_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = played()
    ask(game)
    Review.objects.update(hands=9, done=4)
    progress = f"/games/{game.pk}/review/progress"
    assert "4 of 9 hands" in Client().get(progress).content.decode()
    assert "HX-Refresh" not in Client().get(progress)
    Review.objects.update(hands=0, done=0)
    Judge().instead(monkeypatch)
    review_due()
    assert Client().get(progress)["HX-Refresh"] == "true"


def test_a_failed_review_offers_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    game, judge = played(), Judge()
    judge.fails = True
    judge.instead(monkeypatch)
    ask(game)
    review_due()
    assert Review.objects.get().tries == MAX_TRIES
    page = Client().get(f"/games/{game.pk}/review/").content.decode()
    assert "Try again" in page
    assert "hx-get" not in page
    Client().post(f"/games/{game.pk}/review/")
    judge.fails = False
    assert review_due() == 1


def test_an_address_may_ask_for_so_many_reviews(settings: LazySettings) -> None:
    settings.REVIEWS_IN_TEN_MINUTES = 1
    first, second = played(), played(people=tuple(player(name) for name in OTHERS))
    for game, status in ((first, 303), (first, 303), (second, 429), (first, 303)):
        assert Client().post(f"/games/{game.pk}/review/").status_code == status
    assert [review.game for review in Review.objects.all()] == [first]


def test_reading_without_a_review_that_can_be_made_does_not_count(settings: LazySettings) -> None:
    settings.REVIEWS_IN_TEN_MINUTES = 1
    maeve = player("Maeve")
    waiting = played(people=(maeve, *cast()[1:]))
    other = played(people=(maeve, *(player(name) for name in OTHERS[1:])))

    def wait(sender: object, game: Game, **_: object) -> str:
        return "Wait." if game == waiting else ""

    embargo.asked.connect(wait)
    try:
        for _ in range(3):
            assert "Wait." in logged_in(maeve).get(f"/games/{waiting.pk}/review/").content.decode()
        page = logged_in(maeve).get(f"/games/{other.pk}/review/").content.decode()
    finally:
        embargo.asked.disconnect(wait)
    assert "is being made" in page
    assert Review.objects.get().game == other


def test_members_own_games_count_by_account_and_not_by_address(settings: LazySettings) -> None:
    settings.REVIEWS_IN_TEN_MINUTES = 1
    maeve, otto = member("Maeve"), member("Otto")
    hers = [
        played(people=(maeve, *(player(f"{name} {number}") for name in OTHERS[1:])))
        for number in "ab"
    ]
    his = played(people=(otto, *cast()[1:]))
    strange = played(people=tuple(player(f"{name} c") for name in OTHERS))
    first, second = (f"/games/{game.pk}/review/" for game in hers)
    assert "is being made" in logged_in(maeve).get(first).content.decode()
    assert "Review this game" in logged_in(maeve).get(second).content.decode()
    refused = logged_in(maeve).post(second)
    assert refused.status_code == 429
    assert "You have asked for many reviews" in refused.content.decode()
    assert "is being made" in logged_in(otto).get(f"/games/{his.pk}/review/").content.decode()
    assert logged_in(maeve).post(f"/games/{strange.pk}/review/").status_code == 303
    assert logged_in(otto).post(second).status_code == 429  # the address has asked for one


# Who sees it --------------------------------------------------------------------------------


def test_an_unfinished_game_has_no_review() -> None:
    maeve, *others = cast()
    game = table(maeve, *others).games.get()
    for method in ("get", "post"):
        asked: Any = getattr(logged_in(maeve), method)(f"/games/{game.pk}/review/")
        assert asked.status_code == 404
    assert not Review.objects.exists()


@pytest.mark.parametrize("path", ["review/?at=1.0", "review/progress"])
def test_marks_of_a_game_by_invitation_are_for_its_players(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    maeve = player("Maeve")
    game = reviewed(monkeypatch, played(people=(maeve, *cast()[1:]), open_to_all=False))
    address, invited = f"/games/{game.pk}/{path}", Client()
    session = invited.session
    session[INVITED_KEY] = [game.table_id]
    session.save()
    assert invited.get(f"/games/{game.pk}/replay/").status_code == 200
    answers = [
        browser.get(address).status_code
        for browser in (Client(), logged_in(player("Otto")), invited, logged_in(maeve))
    ]
    assert answers == [404, 404, 403, 200]
    assert "/review/" not in invited.get(f"/games/{game.pk}/replay/").content.decode()


def test_reviews_of_an_event_wait_until_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    event = build.event()
    build.enter(event, 4)
    build.begin(event)
    build.arrive(event)
    pairing = build.latest(event).pairings.exclude(table=None)[0]
    assert pairing.table is not None
    build.step(event, timezone.now())
    game = pairing.table.games.filter(state=Game.State.PLAYING).first()
    assert game is not None
    game = play_out(pairing.table, by=GameEvent.By.PERSON)
    seat = game.seats.select_related("player")[0]
    for method in ("get", "post"):
        asked: Any = getattr(logged_in(seat.player), method)(f"/games/{game.pk}/review/")
        assert asked.status_code in (200, 303)
    assert not Review.objects.exists()
    page = logged_in(seat.player).get(f"/games/{game.pk}/review/").content.decode()
    assert f"The review opens when {event.name} is over." in page
    # A review made before, as after a director's correction, is not shown either.
    Review.objects.create(game=game, version=1, made=timezone.now(), due=None)
    assert moment(game, "1.0", browser=logged_in(seat.player))["verdict"] == []
    Review.objects.all().delete()
    type(event).objects.update(state="finished")
    reviewed(monkeypatch, game)
    assert moment(game, "1.0", browser=logged_in(seat.player))["doubts"] != []


def test_nothing_is_reviewed_or_asked_of_deals_that_other_tables_still_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    maeve = player("Maeve")
    game = reviewed(monkeypatch, played(people=(maeve, *cast()[1:])))
    assert report_of(game) is not None
    deals = SharedDeals.objects.create(secret=b"x", commitment=bytes(32), seats=12)
    Table.objects.filter(pk=game.table_id).update(shared_deals=deals, number_in_deals=1)
    Game.objects.update(ended=timezone.now() - timedelta(days=4), published=True)
    game = Game.objects.get(pk=game.pk)
    assert report_of(game) is None
    assert own_part(game, 0) == []
    assert ask(game) is None
    puzzle = Puzzle.objects.filter(player=maeve)[0]
    for browser in (Client(), logged_in(maeve)):
        for path in (f"games/{game.pk}/review/", f"games/{game.pk}/review/progress"):
            assert browser.get(f"/{path}").status_code in (403, 404, 409)
        for query in ("", "?set=open"):
            assert browser.get(f"/puzzles/{puzzle.pk}/{query}").status_code == 404


def test_the_replay_leads_to_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    game = reviewed(monkeypatch, played())
    page = Client().get(f"/games/{game.pk}/replay/?at=2.3").content.decode()
    assert f"/games/{game.pk}/review/?at=2.3" in page
    page = Client().get(f"/games/{game.pk}/review/?at=2.3").content.decode()
    assert f"/games/{game.pk}/replay/?at=2.3" in page
