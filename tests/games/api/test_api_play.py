"""Programs play by the API: they find tables, sit down, act, and are refused in clear words."""

from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient, Client
from django.utils import timezone

from games.engine.observation import DISCARDING
from games.engine.rules import HEADS_UP
from games.live import state
from games.models import GameEvent, Player, Scope, Seat, Table
from games.models.tables import LONG_AGO
from games.play import play
from games.programs import programs, tokens
from games.seats import consent, lobby, reserved, seating
from tests.factories import member, player
from tests.games.api_program import Program, program

pytestmark = pytest.mark.django_db(transaction=True)


async def alone(who: Program, **wanted: Any) -> Any:
    """A heads-up table of a program's own, where it sits North."""
    return await who.post("/tables", {"rules": "heads-up", "seat": "North", **wanted})


async def against(who: Program) -> Any:
    """A running heads-up game of a program against Ben; the table as the program sees it."""
    at = await alone(who)
    table = await Table.objects.aget(pk=at["id"])
    ben = await sync_to_async(player)("Ben")
    await sync_to_async(seating.sit)(table, ben, 1)
    return await who.get(f"/tables/{at['id']}")


async def person_s(scope: Scope) -> Program:
    """Somebody with a token of their own."""

    def make() -> Program:
        iris = member("Iris")
        return Program(iris, tokens.make(iris, "Mine", [scope], None, timezone.now())[1])

    return await sync_to_async(make)()


async def four_handed(who: Program) -> tuple[Any, Table, list[Player]]:
    """A running game of a program in North; the table as it sees it, and Ben, Iris and Jonah."""
    at = await who.post("/tables", {"rules": "classic-24", "seat": "North"})
    table = await Table.objects.aget(pk=at["id"])
    others = [await sync_to_async(player)(name) for name in ("Ben", "Iris", "Jonah")]
    for position, other in enumerate(others, start=1):
        await sync_to_async(seating.sit)(table, other, position)
    return await who.get(f"/tables/{at['id']}"), table, others


class TestConsent:
    async def test_a_program_is_asked_by_its_partner_and_agrees(self) -> None:
        robo = await program()
        at, table, (_, iris, _) = await four_handed(robo)
        assert (at["proposal"], at["may_claim"], at["resigned"]) == (None, False, None)
        now = timezone.now()
        await sync_to_async(consent.propose)(table, iris, "resign", 1, now)
        state.forget_all()
        proposal = (await robo.get(f"/tables/{table.pk}"))["proposal"]
        assert proposal | {"id": 0} == {
            "id": 0, "kind": "resign", "seat": "South", "awaited": ["North"],
        }  # fmt: skip
        at = await robo.post(f"/tables/{table.pk}/proposals/{proposal['id']}", {"agree": True})
        assert (at["over"], at["winner"], at["resigned"]) == (True, 1, 0)
        assert (at["turn"], at["legal"], at["state"]) == (None, [], "finished")
        game = await robo.get(f"/games/{at['game']}")
        assert (game["state"], game["winner"], game["ruled"]) == ("abandoned", 1, "resigned")

    async def test_it_proposes_and_takes_back(self) -> None:
        robo = await program()
        _, table, _ = await four_handed(robo)
        place = f"/tables/{table.pk}/proposals"
        at = await robo.post(place, {"kind": "resign", "game": 1})
        assert at["proposal"]["awaited"] == ["South"]
        answer = await robo.ask("POST", place, {"kind": "resign", "game": 1})
        assert answer.status_code == 201
        assert answer.json()["proposal"] == at["proposal"]
        answer = await robo.ask("POST", place, {"kind": "claim", "game": 1})
        assert (answer.status_code, answer.json()["code"]) == (409, "proposed")
        number = at["proposal"]["id"]
        answer = await robo.ask("POST", f"{place}/{number}", {"agree": True})
        assert (answer.status_code, answer.json()["code"]) == (403, "not asked")
        assert (await robo.ask("DELETE", f"{place}?game=1")).status_code == 204
        await play.catch_up(table.pk)
        assert (await robo.get(f"/tables/{table.pk}"))["proposal"] is None
        answer = await robo.ask("POST", place, {"kind": "claim", "game": 1})
        assert (answer.status_code, answer.json()["code"]) == (409, "no claim")
        assert (await robo.ask("POST", place, {"kind": "undo", "game": 1})).status_code == 422
        undo = {"kind": "undo", "game": 1, "version": 3}
        answer = await robo.ask("POST", place, undo)
        assert (answer.status_code, answer.json()["code"]) == (409, "moved on")
        answer = await robo.ask("POST", place, undo | {"version": 0})
        assert (answer.status_code, answer.json()["code"]) == (409, "no undo")
        answer = await robo.ask("POST", place, {"kind": "redeal", "game": 1})
        assert answer.status_code == 422

    async def test_what_is_meant_for_another_game_is_refused(self) -> None:
        robo = await program()
        _, table, _ = await four_handed(robo)
        place, seat = f"/tables/{table.pk}/proposals", f"/tables/{table.pk}/seats/North"
        answers = [
            await robo.ask("POST", place, {"kind": "resign", "game": 2}),
            await robo.ask("POST", place, {"kind": "claim", "game": 2}),
            await robo.ask("DELETE", f"{place}?game=2"),
            await robo.ask("DELETE", f"{seat}?for_good=yes&game=2"),
        ]
        refusals = [(answer.status_code, answer.json()["code"]) for answer in answers]
        assert refusals == [(409, "another game")] * 4
        unsaid = [
            await robo.ask("POST", place, {"kind": "resign"}),
            await robo.ask("DELETE", place),
            await robo.ask("DELETE", f"{seat}?for_good=yes"),
        ]
        assert [answer.status_code for answer in unsaid] == [422, 422, 400]
        assert not await table.games.filter(proposals__isnull=False).aexists()

    async def test_it_leaves_for_good(self) -> None:
        robo = await program()
        _, table, _ = await four_handed(robo)
        answer = await robo.ask("DELETE", f"/tables/{table.pk}/seats/North?for_good=yes&game=1")
        assert answer.status_code == 204
        again = await robo.ask("DELETE", f"/tables/{table.pk}/seats/North?for_good=yes&game=1")
        assert again.status_code == 204
        await play.catch_up(table.pk)
        at = await robo.get(f"/tables/{table.pk}")
        assert (at["seat"], at["seats"][0]["kind"]) == (None, "house")
        answer = await robo.ask("POST", f"/tables/{table.pk}/requests", {"seat": "North"})
        assert (answer.status_code, answer.json()["code"]) == (403, "left")


class TestTables:
    async def test_a_program_makes_a_table_and_sits_there(self) -> None:
        robo = await program()
        answer = await robo.ask("POST", "/tables", {"rules": "classic-24", "seat": "South"})
        assert answer.status_code == 201
        at = answer.json()
        assert (at["seat"], at["state"], at["version"]) == ("South", "gathering", "0.0")
        south = at["seats"][2]
        assert (south["name"], south["kind"], south["program_of"]) == ("Robo", "program", "Maeve")
        assert at["deal"] is None

    async def test_with_house_players_it_plays_at_once(self) -> None:
        at = await alone(await program(), house_seats=["South"])
        assert at["state"] == "playing"
        deal = at["deal"]
        ordered_up = (deal["phase"], deal["dealer"]) == (DISCARDING, "North")
        assert len(deal["hand"]) == 5 + ordered_up

    async def test_it_says_when_the_house_plays_for_an_absent_player(self) -> None:
        robo = await program()
        assert (await alone(robo))["house_after"] == 12
        assert (await alone(robo, house_after=60))["house_after"] == 60
        assert (await alone(robo))["house_level"] == "strong"
        assert (await alone(robo, house_level="steady"))["house_level"] == "steady"
        assert (await alone(robo, house_after=None))["house_after"] is None
        answer = await robo.ask("POST", "/tables", {"rules": "heads-up", "house_after": 13})
        assert answer.status_code == 422

    async def test_a_program_that_has_gone_is_played_for_until_it_asks_again(self) -> None:
        robo = await program()
        at = await against(robo)
        seat = Seat.objects.filter(table=at["id"], position=0)
        await seat.aupdate(stand_in=True, missing_since=timezone.now(), last_seen=LONG_AGO)
        await play.catch_up(at["id"])
        north = (await (await program("Tin", "Iris")).get(f"/tables/{at['id']}"))["seats"][0]
        assert (north["away"], north["stand_in"]) == (True, True)
        north = (await robo.get(f"/tables/{at['id']}"))["seats"][0]
        assert (north["away"], north["stand_in"]) == (False, False)

    async def test_what_it_may_not_be_made_of_is_named(self) -> None:
        robo = await program()
        answer = await robo.ask("POST", "/tables", {"rules": "whist"})
        assert answer.status_code == 422
        assert "heads-up" in answer.json()["detail"]
        answer = await robo.ask("POST", "/tables", {"rules": "heads-up", "seat": "East"})
        assert answer.status_code == 422
        assert answer.json()["detail"] == "There is no East here, but North, South."

    async def test_the_list_holds_those_with_a_free_seat(self) -> None:
        robo, other = await program(), await program("Tin", "Ben")
        waiting = (await alone(robo))["id"]
        hidden = (await alone(robo, open=False))["id"]
        (line,) = await other.get("/tables")
        assert line["id"] == waiting
        assert [place["name"] for place in line["seats"]] == ["Robo", ""]
        assert line["seats"][0]["program"]
        assert {one["id"] for one in await robo.get("/tables?open=no")} == {waiting, hidden}
        await other.post(f"/tables/{waiting}/seats/South")
        assert await other.get("/tables") == []
        assert [one["id"] for one in await other.get("/tables?open=no")] == [waiting]

    async def test_only_their_own_players_see_deserted_games_listed(self) -> None:
        robo = await program()
        at = await alone(robo, house_seats=["South"])
        await Seat.objects.filter(table=at["id"]).aupdate(last_seen=timezone.now() - lobby.DESERTED)
        other = await program("Tin", "Ben")
        assert at["id"] not in [one["id"] for one in await other.get("/tables?open=no")]
        assert at["id"] in [one["id"] for one in await robo.get("/tables?open=no")]

    def test_the_list_takes_few_queries(self, django_assert_max_num_queries: Any) -> None:
        for number in range(6):
            seating.make_table(member(f"Guest{number}"), HEADS_UP, seat=0)
            seating.play_now(player("Ben"), HEADS_UP)
        maeve = programs.make(member("Maeve"), "Robo", timezone.now())[1]
        with django_assert_max_num_queries(12):
            lines = Client().get("/api/tables", headers={"authorization": f"Bearer {maeve}"})
        assert len(lines.json()) == 12

    async def test_the_last_seat_begins_the_game_and_an_invitation_opens_a_table(self) -> None:
        robo, other = await program(), await program("Tin", "Ben")
        at = await alone(robo, open=False)
        path = f"/tables/{at['id']}"
        assert (await other.ask("GET", path)).status_code == 404
        assert (await other.ask("POST", f"{path}/seats/South", {})).status_code == 404
        seen = await other.get(f"{path}?invitation={at['invitation']}")
        assert (seen["seat"], seen["invitation"]) == (None, "")
        sat = await other.post(f"{path}/seats/South", {"invitation": at["invitation"]})
        assert (sat["seat"], sat["state"], sat["version"]) == ("South", "playing", "1.0")
        assert (await other.get(path))["seat"] == "South"

    async def test_a_seat_that_is_taken(self) -> None:
        robo, other = await program(), await program("Tin", "Ben")
        at = await alone(robo)
        answer = await other.ask("POST", f"/tables/{at['id']}/seats/North", {})
        assert (answer.status_code, answer.json()["code"]) == (409, "taken")
        assert answer.json()["detail"] == "Robo has just taken this seat."

    async def test_standing_up(self) -> None:
        robo = await program()
        at = await alone(robo)
        path = f"/tables/{at['id']}/seats"
        answer = await robo.ask("DELETE", f"{path}/South")
        assert (answer.status_code, answer.json()["code"]) == (403, "not seated")
        assert (await robo.ask("DELETE", f"{path}/North")).status_code == 204
        assert (await Table.objects.aget(pk=at["id"])).state == Table.State.CLOSED

    async def test_the_house_fills_up_and_another_game_follows(self) -> None:
        robo = await program()
        at = await robo.post("/tables", {"rules": "classic-24", "seat": "North"})
        path = f"/tables/{at['id']}/games"
        begun = await robo.post(path)
        assert begun["state"] == "playing"
        assert [seat["kind"] for seat in begun["seats"]] == ["program", "house", "house", "house"]
        assert (await robo.post(path))["version"].startswith("1.")

    async def test_a_seat_a_house_player_stands_in_at_is_taken_back(self) -> None:
        robo = await program()
        at = await against(robo)
        await Seat.objects.filter(table=at["id"], position=0).aupdate(stand_in=True)
        back = await robo.post(f"/tables/{at['id']}/seats/North")
        assert not back["seats"][0]["stand_in"]

    async def test_asking_counts_as_being_there(self) -> None:
        robo = await program()
        at = await against(robo)
        long_ago = timezone.now() - timedelta(hours=1)
        await Seat.objects.filter(table=at["id"]).aupdate(last_seen=long_ago)
        assert not (await robo.get(f"/tables/{at['id']}"))["seats"][0]["away"]
        seat = await Seat.objects.aget(table=at["id"], position=0)
        assert seat.last_seen > long_ago


class TestWhoMayPlay:
    async def test_a_person_s_token_is_refused_at_the_table(self) -> None:
        iris, robo = await person_s(Scope.PLAY), await program()
        at = await alone(robo)
        for method, path, body in (
            ("POST", "/tables", {"rules": "heads-up"}),
            ("POST", f"/tables/{at['id']}/seats/South", {}),
            ("POST", f"/tables/{at['id']}/games", {}),
            ("POST", f"/tables/{at['id']}/actions", {"action": "pass", "version": "1.0"}),
            ("DELETE", f"/tables/{at['id']}/seats/South", None),
            ("GET", f"/tables/{at['id']}/stream", None),
        ):
            answer = await iris.ask(method, path, body)
            assert (answer.status_code, answer.json()["code"]) == (403, "program")
            assert "/you/programs/" in answer.json()["detail"]

    async def test_a_person_s_token_sees_what_a_spectator_sees(self) -> None:
        iris = await person_s(Scope.READ)
        table = await sync_to_async(seating.play_now)(iris.player, HEADS_UP)
        at = await iris.get(f"/tables/{table.pk}")
        assert at["seat"] is None
        assert at["deal"]["hand"] == []
        assert at["legal"] == []

    async def test_a_token_without_the_scope(self) -> None:
        iris = await person_s(Scope.READ)
        answer = await iris.ask("POST", "/tables", {"rules": "heads-up"})
        assert (answer.status_code, answer.json()["code"]) == (403, "scope")

    async def test_nobody_in_particular_may_look_and_do_nothing(self) -> None:
        at = await alone(await program())
        visitor = AsyncClient()
        assert (await visitor.get(f"/api/tables/{at['id']}")).status_code == 200
        assert (await visitor.get(f"/api/tables/{at['id']}/stream")).status_code == 401
        sat = await visitor.post(
            f"/api/tables/{at['id']}/seats/South", {}, content_type="application/json"
        )
        assert sat.status_code == 401

    async def test_an_event_s_table_is_refused_by_name(self) -> None:
        def event_table() -> Table:
            places = [
                reserved.ReservedTable([player("Ben"), player("Iris")], "Final", "/events/1/")
            ]
            return reserved.open_tables(places, HEADS_UP, player("Ada"))[0]

        robo, table = await program(), await sync_to_async(event_table)()
        answer = await robo.ask("POST", f"/tables/{table.pk}/seats/North", {})
        assert (answer.status_code, answer.json()["code"]) == (403, "reserved")
        assert "Final belongs to an event" in answer.json()["detail"]


class TestActing:
    async def test_an_action_is_stored_as_the_program_s(self) -> None:
        robo = await program()
        at = await against(robo)
        path = f"/tables/{at['id']}"
        if at["turn"] == "South":
            table = await Table.objects.aget(pk=at["id"])
            assert (await robo.ask("POST", f"{path}/actions", action(at))).status_code == 409
            await pass_for_ben(table)
            at = await robo.get(path)
        assert at["legal"]
        done = await robo.post(f"{path}/actions", action(at))
        assert done["table"]["version"] == done["version"] != at["version"]
        event = await GameEvent.objects.alatest("seq")
        assert (event.player_id, event.by, event.action) == (robo.player.pk, "person", "pass")

    async def test_sent_again_under_its_key_it_is_answered_the_same(self) -> None:
        robo, at = await in_turn()
        first = await robo.post(f"/tables/{at['id']}/actions", {**action(at), "key": "one"})
        again = await robo.post(f"/tables/{at['id']}/actions", {**action(at), "key": "one"})
        assert again["version"] == first["version"]
        assert await GameEvent.objects.filter(client_key="one").acount() == 1

    async def test_a_stale_one_is_answered_with_the_table_as_it_is(self) -> None:
        robo, at = await in_turn()
        await robo.post(f"/tables/{at['id']}/actions", action(at))
        answer = await robo.ask("POST", f"/tables/{at['id']}/actions", action(at))
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (409, "stale")
        assert problem["table"]["version"] == problem["version"] != at["version"]

    async def test_out_of_turn_illegal_and_malformed(self) -> None:
        robo, at = await in_turn()
        path = f"/tables/{at['id']}/actions"
        answer = await robo.ask("POST", path, {**action(at), "action": "play 9C"})
        assert (answer.status_code, answer.json()["code"]) == (422, "illegal")
        assert "you may: pass, order" in answer.json()["detail"]
        answer = await robo.ask("POST", path, {**action(at), "action": "dance"})
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
        passed = await robo.post(path, action(at))
        answer = await robo.ask("POST", path, action(passed["table"]))
        assert (answer.status_code, answer.json()["code"]) == (409, "out of turn")
        answer = await robo.ask("POST", path, {"action": "pass"})
        assert answer.status_code == 422
        assert "version" in answer.json()["detail"]

    async def test_where_it_has_no_seat(self) -> None:
        _robo, at = await in_turn()
        other = await program("Tin", "Iris")
        answer = await other.ask("POST", f"/tables/{at['id']}/actions", action(at))
        assert (answer.status_code, answer.json()["code"]) == (403, "not seated")
        assert answer.json()["table"]["deal"]["hand"] == []

    async def test_a_whole_game_against_house_players_and_another(self) -> None:
        robo = await program()
        at = await alone(robo, house_seats=["South"])
        path = f"/tables/{at['id']}"
        for number in (1, 2):
            while not at["over"]:
                if at["legal"]:
                    await robo.ask("POST", f"{path}/actions", action(at, at["legal"][-1]))
                else:
                    await house_acts(at["id"])
                at = await robo.get(path)
            assert max(at["score"]) >= 10
            assert at["deals"][-1]["score"] == at["score"]
            assert at["version"].startswith(f"{number}.")
            at = await robo.post(f"{path}/games")


def action(at: Any, text: str = "pass") -> dict[str, str]:
    """An action decided on what a table shows."""
    return {"action": text, "version": at["version"]}


async def in_turn() -> tuple[Program, Any]:
    """A program whose turn it is to bid first, and its table."""
    robo = await program()
    at = await against(robo)
    if at["turn"] == "South":
        await pass_for_ben(await Table.objects.aget(pk=at["id"]))
        at = await robo.get(f"/tables/{at['id']}")
    assert at["turn"] == "North"
    return robo, at


async def pass_for_ben(table: Table) -> None:
    """Let Ben pass."""
    ben = await Player.objects.aget(name="Ben")
    stamp = (await state.get(table.pk)).stamp
    answer = await play.act(table.pk, ben.pk, play.Decision("pass", stamp, "bens"))
    assert answer.kind == play.DONE


async def house_acts(table_id: int) -> None:
    """Let the table do what is due."""
    await play.act_by_itself(table_id)
