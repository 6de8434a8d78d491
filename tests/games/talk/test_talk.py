"""Saying something at a table: who may, who hears it, and who never does."""

import asyncio
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from games.live import state
from games.models import Game, Player, Table, TalkLine
from games.models.tables import Seat
from games.people import traces
from games.people.traces import Origin
from games.talk import rooms, speaking
from games.talk.phrases import PHRASES
from tests.factories import Room, cast, logged_in, member, room, table
from tests.tabs import Tab, new_tab

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "Lead trump, they are out of it"
HOME = Origin(address="192.0.2.1")
SCRIPT = {"HX-Request": "true"}


def say(browser: Client, at: int, **fields: Any) -> Any:
    return browser.post(f"/tables/{at}/say", fields, headers=SCRIPT)


async def told(who: Player, at: int, **fields: Any) -> int:
    browser = await sync_to_async(logged_in)(who)
    return int((await sync_to_async(say)(browser, at, **fields)).status_code)


async def open_tab(at: Room, who: Player | None) -> Tab:
    tab = await new_tab(at.table_id, who)
    assert await tab.connect() is None
    return tab


async def until_said(tab: Tab, text: str) -> dict[str, Any]:
    while text not in json.dumps((frame := await tab.frame()), ensure_ascii=False):
        pass
    return frame


class TestPhrases:
    async def test_all_who_are_there_see_it_at_the_plate_and_in_the_talk(self) -> None:
        at = await room()
        tabs = [await open_tab(at, who) for who in (*at.players, None)]
        assert await told(at.players[1], at.table_id, phrase="0") == 204
        for tab in tabs:
            own = (await until_said(tab, "Nice hand"))["own"]
            assert own["spoke.1"] == "Nice hand"
            assert own["talk"][-1]["words"] == "Nice hand"
        line = await TalkLine.objects.aget()
        assert (line.phrase, line.words, line.channel) == (0, "", "players")

    async def test_it_leaves_the_plate_after_four_seconds(self, monkeypatch: Any) -> None:
        at = await room()
        tab = await open_tab(at, at.players[0])
        assert await told(at.players[1], at.table_id, phrase="2") == 204
        await until_said(tab, "Thank you")
        frame = await tab.frame()
        while "spoke.1" not in frame.get("own", {}):
            frame = await tab.frame()
        assert frame["own"]["spoke.1"] is None

    def test_phrases_rest_after_one(self) -> None:
        four = cast()
        at, browser = table(*four), logged_in(four[0])
        assert say(browser, at.pk, phrase="1").status_code == 204
        answer = say(browser, at.pk, phrase="2")
        assert (answer.status_code, answer.text) == (
            429,
            "Wait a moment before the next phrase.",
        )
        assert TalkLine.objects.count() == 1

    @pytest.mark.parametrize("number", ["6", "-1", "x", "", "999999999999"])
    def test_there_are_six_phrases_and_no_seventh(self, number: str) -> None:
        four = cast()
        assert len(PHRASES) == 6
        assert say(logged_in(four[0]), table(*four).pk, phrase=number).status_code == 400


class TestFreeWords:
    async def test_players_hear_them_and_those_who_watch_do_not(self) -> None:
        at = await room()
        otto = await sync_to_async(member)("Otto")
        tabs = [await open_tab(at, who) for who in at.players]
        watching = [await open_tab(at, who) for who in (otto, None)]
        assert await told(at.players[0], at.table_id, words=SECRET) == 204
        for tab in tabs:
            await until_said(tab, SECRET)
        await told(at.players[1], at.table_id, phrase="0")
        for tab in watching:
            await until_said(tab, "Nice hand")  # so that nothing is on its way any more
            assert SECRET not in "".join(tab.frames)

    def test_without_scripts_the_table_is_shown_again(self) -> None:
        four = cast()
        at, browser = table(*four), logged_in(four[0])
        path = f"/tables/{at.pk}/"
        answer = browser.post(f"{path}say", {"words": "hello all"})
        assert (answer.status_code, answer["Location"]) == (303, path)
        assert "hello all" in browser.get(path).content.decode()
        refused = browser.post(
            f"{path}say",
            {"words": "see bower.club"},
            headers={"Referer": f"http://testserver{path}"},
        )
        assert refused.status_code == 422
        assert "are not sent here" in refused.content.decode()
        assert TalkLine.objects.count() == 1

    @pytest.mark.parametrize(
        ("rule", "state", "free"),
        [
            ("free", "playing", True), ("after", "playing", False), ("after", "shuffling", False),
            ("after", "finished", True), ("phrases", "finished", False), ("free", "closed", False),
        ],
    )  # fmt: skip
    def test_the_rule_of_the_table_decides(self, rule: str, state: str, free: bool) -> None:
        four = cast()
        at = table(*four)
        Table.objects.filter(pk=at.pk).update(talk=rule, state=state)
        assert say(logged_in(four[0]), at.pk, words="hello").status_code == (204 if free else 403)
        phrase = say(logged_in(four[1]), at.pk, phrase="0").status_code
        assert phrase == (403 if state == "closed" else 204)

    def test_nothing_but_phrases_while_others_play_the_same_deals(self) -> None:
        from games.shuffle import shared

        four = cast()
        at = table(*four)
        deals = shared.commit_to(2)
        Table.objects.filter(pk=at.pk).update(state="finished", shared_deals=deals)
        assert say(logged_in(four[0]), at.pk, words="hearts were all here").status_code == 403


class TestThoseWhoWatch:
    """What they say is read by no player of the table, wherever the player looks."""

    @pytest.fixture
    async def said(self) -> tuple[Room, list[Tab], Player]:
        """Otto and Ada watch with accounts; Otto says the secret while a hand is played."""
        at = await room()
        otto, ada = [await sync_to_async(member)(name) for name in ("Otto", "Ada")]
        tabs = [await open_tab(at, who) for who in (*at.players, ada)]
        assert await told(otto, at.table_id, words=SECRET) == 204
        await until_said(tabs[-1], SECRET)
        assert await told(at.players[0], at.table_id, phrase="3") == 204
        for tab in tabs[:-1]:
            await until_said(tab, "Good luck")
        return at, tabs, otto

    async def test_no_frame_of_a_player_has_it(self, said: tuple[Room, list[Tab], Player]) -> None:
        at, tabs, _otto = said
        await at.act(await at.turn(), "pass")
        for tab in tabs[:-1]:
            await tab.until("1.1")
            assert SECRET not in "".join(tab.frames)
        late = await open_tab(at, at.players[2])
        assert SECRET not in "".join(late.frames)

    async def test_no_page_or_file_has_it(
        self, said: tuple[Room, list[Tab], Player], capfd: pytest.CaptureFixture[str]
    ) -> None:
        at, _tabs, otto = said
        game = await Game.objects.aget()
        paths = [
            f"/tables/{at.table_id}/", f"/games/{game.pk}/", f"/games/{game.pk}/record.json",
            f"/games/{game.pk}/game.egn", f"/games/{game.pk}/game.ptn",
            f"/games/{game.pk}/replay/", f"/api/tables/{at.table_id}",
            f"/api/games/{game.pk}", "/", "/play/", "/fairness/log.ndjson", "/api/games",
        ]  # fmt: skip
        for who in (*at.players, None):
            browser = await sync_to_async(logged_in)(who) if who is not None else Client()
            for path in paths:
                answer = await sync_to_async(browser.get)(path)
                assert SECRET not in answer.getvalue().decode()
        await at.play_out()
        for path in paths:
            answer = await sync_to_async(browser.get)(path)
            assert SECRET not in answer.getvalue().decode()
        browser = await sync_to_async(logged_in)(otto)
        browser.defaults["REMOTE_ADDR"] = "192.0.2.7"  # not that of the guests who play
        page = await sync_to_async(browser.get)(paths[0])
        assert SECRET in page.content.decode()
        assert SECRET not in "".join(capfd.readouterr())

    async def test_who_sits_down_hears_it_no_more(self) -> None:
        at = await room()
        otto = await sync_to_async(member)("Otto")
        assert await told(otto, at.table_id, words=SECRET) == 204
        tab = await open_tab(at, otto)
        assert SECRET in tab.frames[0]
        await Seat.objects.filter(table=at.table_id, position=2).aupdate(player=otto)
        await state.look_again(at.table_id)  # as after every change of seats
        later = await open_tab(at, otto)
        assert SECRET not in "".join(later.frames)

    async def test_what_is_being_read_as_somebody_sits_down_is_not_kept(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        at = await room()
        otto = await sync_to_async(member)("Otto")
        assert await told(otto, at.table_id, words=SECRET) == 204
        live, reading = await at.live(), state._reading_rooms
        has_read, go_on, reads = asyncio.Event(), asyncio.Event(), []

        iris = at.players[1]

        class Slow:
            async def ask(self, what: tuple[int, frozenset[int]]) -> rooms.Room:
                read = await reading.ask(what)
                if iris.pk in what[1]:
                    reads.append(what)
                    has_read.set()
                    await go_on.wait()
                return read

        monkeypatch.setattr(state, "_reading_rooms", Slow())
        listening = asyncio.create_task(state.listen(live, [otto.pk, iris.pk]))
        async with asyncio.timeout(30):
            await has_read.wait()
        live.forget_room()  # as when a seat changes hands
        go_on.set()
        await listening
        assert len(reads) == 2, "as they were before, and as they are now"
        assert live.room is not None

    def test_without_an_account_nobody_reads_or_says_it(self) -> None:
        four = cast()
        at = table(*four)
        assert say(logged_in(member("Otto")), at.pk, words=SECRET).status_code == 204
        guest = Player.objects.create(name="Guest Wren")
        for browser in (Client(), logged_in(guest)):
            assert SECRET not in browser.get(f"/tables/{at.pk}/").content.decode()
            assert say(browser, at.pk, words="hello").status_code == 403

    def test_a_player_does_not_read_it_with_another_account_in_the_same_browser(self) -> None:
        ben, otto = member("Ben"), member("Otto")
        at = table(member("Maeve"), ben, *cast()[2:])
        assert say(logged_in(otto), at.pk, words=SECRET).status_code == 204
        browser = logged_in(ben)
        browser.get(f"/tables/{at.pk}/")  # sees cards there
        known = browser.session[traces.BROWSER]
        second = member("Second").user
        assert second is not None
        browser.force_login(second)
        session = browser.session  # the browser keeps its id, as its pages see to
        session[traces.BROWSER] = known
        session.save()
        assert SECRET not in browser.get(f"/tables/{at.pk}/").content.decode()
        assert say(browser, at.pk, words="hello").status_code == 403

    async def test_members_of_a_household_with_accounts_talk_though_one_of_them_plays(self) -> None:
        four = [await sync_to_async(member)(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
        otto, ada = [await sync_to_async(member)(name) for name in ("Otto", "Ada")]
        at = await sync_to_async(table)(*four)
        for who in (four[0], otto, ada):
            await sync_to_async(traces.record)(at, who, HOME)
        tabs = [await new_tab(at.pk, who) for who in (four[0], otto, ada)]
        for tab in tabs:
            assert await tab.connect() is None
        assert await told(otto, at.pk, words=SECRET) == 204
        for tab in tabs[1:]:
            await until_said(tab, SECRET)
        assert await told(four[0], at.pk, phrase="3") == 204
        await until_said(tabs[0], "Good luck")
        assert SECRET not in "".join(tabs[0].frames)

    @pytest.mark.parametrize("own", [True, False], ids=["words", "phrase"])
    def test_who_is_at_the_address_of_a_guest_who_plays_is_told_why_not(self, own: bool) -> None:
        four, otto, ada = cast(), member("Otto"), member("Ada")
        at = table(*four)
        for who in (four[0], otto):
            traces.record(at, who, HOME)
        answer = say(logged_in(otto), at.pk, **({"words": SECRET} if own else {"phrase": "0"}))
        assert (answer.status_code, answer.text) == (403, speaking.WATCHERS_APART)
        assert not TalkLine.objects.exists()
        everybody = (at.pk, frozenset(one.pk for one in (*four, otto, ada)))
        assert rooms.read([everybody])[everybody].watching == {ada.pk}


@pytest.mark.db
async def test_sixty_say_something_at_once() -> None:
    at = await room()
    people = await sync_to_async(lambda: [member(f"P{number}") for number in range(12)])()
    answers = await asyncio.gather(*(told(one, at.table_id, words="hello") for one in people))
    assert set(answers) == {204}
    assert await TalkLine.objects.acount() == 12


async def test_who_sees_a_game_later_hears_nothing_of_its_present() -> None:
    at = await room()
    await Table.objects.filter(pk=at.table_id).aupdate(delayed=True)
    watching = await open_tab(at, None)
    player = await open_tab(at, at.players[0])
    assert await told(at.players[1], at.table_id, phrase="0") == 204
    await until_said(player, "Nice hand")
    assert await watching.silent()
    assert "Nice hand" not in "".join(watching.frames)
