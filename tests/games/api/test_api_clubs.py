"""Rules of clubs in the API: a rule set that is added is played by form and by programs."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient

from games.api.table_view import table_view
from games.engine.actions import Action, parse_action
from games.engine.game import Game
from games.engine.rules import RULE_SETS, RuleSet
from games.files.record import read_record
from games.models import Table
from games.play import play
from games.records.game_files import record_file
from tests.chance import CLUB_24, CLUB_33, random_game
from tests.factories import Room, member
from tests.games.api_program import Program, program
from tests.games.picture.test_leak import seen_by
from tests.games.picture.test_leak import table as live_of
from tests.games.verifying import faults

pytestmark = pytest.mark.django_db(transaction=True)

#: A rule set that is not offered: whoever is asked first may always play alone.
FIFTH = replace(
    CLUB_24,
    key="fifth",
    name="The fifth",
    own_trump=False,
    dealers_partner_alone=False,
    no_lone_near_end=False,
    target=20,
)
#: What is rather done than anything else, so that everything is asked.
WANTED = ("swap", "order alone", "give", "best", "defend")


@pytest.fixture(autouse=True)
def _offered(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setitem(RULE_SETS, FIFTH.key, FIFTH)
    settings.SOCKET_BURST = settings.API_RATE_TOKEN = 100_000  # however quick the test is


def chosen(legal: list[str], chance: Random) -> str:
    """Something legal, rather what only these rules ask."""
    wanted = [action for action in legal if action.startswith(WANTED)]
    return chance.choice(wanted or legal)


async def checked(table_id: int) -> set[str]:
    """See that a finished game has a record that is right; the kinds of its actions."""
    game = await (await Table.objects.aget(pk=table_id)).games.select_related("table").aget()
    assert game.rules == FIFTH
    written = await sync_to_async(record_file)(game)
    assert faults(written) == []
    return {event.action.kind for event in read_record(written).events}


async def test_a_rule_set_that_is_added_is_played_by_form_to_the_end() -> None:
    maeve = await sync_to_async(member)("Maeve")
    browser, chance = AsyncClient(), Random(5)
    assert maeve.user is not None
    await browser.aforce_login(maeve.user)
    seats = {"north": "me", "east": "house", "south": "house", "west": "house"}
    form = {"rules": "fifth", "open": "yes", "house_level": "steady", **seats}
    answer = await browser.post("/tables/new/", form)
    assert answer.status_code == 303
    at = await Table.objects.aget()
    room = Room(at.pk, [maeve])
    while not await room.over():
        if await room.turn() in (0, -1):
            said = {"action": chosen(await room.legal(), chance), "version": await room.stamp()}
            answer = await browser.post(f"/tables/{at.pk}/act", said)
            assert answer.status_code == 302, answer.content
        await play.catch_up(at.pk)
    assert await checked(at.pk) >= {"decline", "order", "give", "best"}


async def test_a_rule_set_that_is_added_is_played_by_a_program_to_the_end() -> None:
    robo, chance = await program(), Random(5)
    house = ["East", "South", "West"]
    made = {"rules": "fifth", "seat": "North", "house_seats": house, "house_level": "steady"}
    at = await robo.post("/tables", made)
    assert at["rules"]["key"] == "fifth"
    path = f"/tables/{at['id']}"
    while not at["over"]:
        if at["legal"]:
            said = {"action": chosen(at["legal"], chance), "version": at["version"]}
            answer = await robo.ask("POST", f"{path}/actions", said)
            assert answer.status_code == 200, answer.content
        await play.catch_up(at["id"])
        at = await robo.get(path)
    assert await checked(at["id"]) >= {"decline", "order", "give", "best"}
    game = await robo.get(f"/games/{at['game']}")
    assert len(game["deals"]) == len(at["deals"])
    assert any(deal["alone"] for deal in game["deals"])


async def test_what_these_rules_do_not_allow_is_refused_with_the_reason() -> None:
    robo: Program = await program()
    answer = await robo.ask("POST", "/tables", {"rules": "sixth"})
    assert answer.status_code == 422
    assert all(key in answer.json()["detail"] for key in RULE_SETS)
    at = await robo.post("/tables", {"rules": "fifth", "seat": "North"})
    table = await Table.objects.aget(pk=at["id"])
    room = Room(table.pk, [])
    for seat in ("East", "South", "West"):
        other: Any = await program(seat, f"Owner of {seat}")
        await other.post(f"/tables/{table.pk}/seats/{seat}")
    at = await robo.get(f"/tables/{table.pk}")
    for action, detail in (("swap 9C 9D", "is not an action"), ("swap 9C 9C TC", "not an action")):
        said = {"action": action, "version": at["version"]}
        answer = await robo.ask("POST", f"/tables/{table.pk}/actions", said)
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
        assert detail in answer.json()["detail"]
    first: int = await room.turn()
    assert first >= 0
    said = {"action": "defend", "version": at["version"]}
    answer = await robo.ask("POST", f"/tables/{table.pk}/actions", said)
    assert answer.status_code == (422 if first == 0 else 409)
    assert "farmer's hand" in answer.json()["detail"]


def acted(rules: RuleSet, kind: str) -> Game:
    """A game by chance just after something of a kind was done."""
    for number in range(2000):
        chance, game = Random(f"{kind} {number}"), random_game(rules, f"{kind} {number}")
        while game.deal.result is None:
            action: Action = chance.choice(game.legal_actions())
            game.push(action)
            if action.kind == kind:
                return game
    raise AssertionError(kind)


@pytest.mark.parametrize("kind", ["swap", "fold", "give", "best", "defend"])
def test_what_was_answered_is_told_and_its_cards_only_to_who_may_see_them(kind: str) -> None:
    game = acted(CLUB_33 if kind == "fold" else replace(CLUB_24, own_trump=False), kind)
    live = live_of(game.deal, [*game.deal.actions])
    seat, action = game.deal.answers[-1]
    told: list[tuple[int | None, str]] = []
    for viewer in (None, 0, 1, 2, 3):
        deal = table_view(seen_by(live, viewer)).deal
        assert deal is not None
        told += [(viewer, deal.answers[-1].action)]
        assert bool(deal.folded) is (kind == "fold")
        out = game.deal.sitting_out
        assert (deal.sitting_out is None) is (not out)
        assert (deal.defender is None) is (game.deal.defender < 0)
    sees = {seat} | ({game.deal.maker} if kind == "best" else set())
    hidden = str(parse_action(str(action))).split(" ")[0]
    for viewer, said in told:
        assert said == (str(action) if viewer in sees else hidden)


@pytest.mark.parametrize("trump", ["NT", "LNT"])
def test_a_hand_without_trumps_is_told_as_its_call_is(trump: str) -> None:
    game = random_game(replace(CLUB_24, own_trump=False, farmers_hand=False, fold="never"), "no")
    for _ in range(4):
        game.push(parse_action("pass"))
    game.push(parse_action(f"make {trump}"))
    live = live_of(game.deal, [*game.deal.actions])
    deal = table_view(seen_by(live, None)).deal
    assert deal is not None
    assert deal.trump == trump
