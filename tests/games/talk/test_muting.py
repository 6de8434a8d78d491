"""Muting, keeping apart and reporting whoever said a line."""

import json
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone

from games.models import Avoidance, Mute, Player, Table, TalkLine, TalkReport
from games.people import friends
from games.people.friends import Between
from games.talk import keeping, muting, reporting
from games.talk.speaking import TalkError
from tests.factories import cast, logged_in, member, player, room, table
from tests.games.talk.test_talk import SCRIPT, open_tab, say, told, until_said

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "You are useless, stay at home"


def post(browser: Client, at: int, verb: str, **fields: Any) -> Any:
    return browser.post(f"/tables/{at}/talk/{verb}", fields, headers=SCRIPT)


async def test_nothing_said_by_the_muted_reaches_whoever_muted_them() -> None:
    at = await room()
    maeve, ben = at.players[:2]
    tabs = [await open_tab(at, who) for who in (maeve, at.players[2])]
    assert await told(ben, at.table_id, words="The first word") == 204
    for tab in tabs:
        await until_said(tab, "The first word")
    line = await TalkLine.objects.aget()
    browser = await sync_to_async(logged_in)(maeve)
    answer = await sync_to_async(post)(browser, at.table_id, "mute", line=line.pk)
    assert answer.status_code == 204
    muted = (await until_said(tabs[0], "You muted Ben."))["own"]["talk"]
    assert "The first word" not in json.dumps(muted)
    for said in (WORDS, "And another thing"):
        assert await told(ben, at.table_id, words=said) == 204
        await until_said(tabs[1], said)
    assert await told(ben, at.table_id, phrase="0") == 204
    own = (await until_said(tabs[1], "Nice hand"))["own"]
    assert own["spoke.1"] == "Nice hand"
    assert await told(at.players[2], at.table_id, words="All is well") == 204
    await until_said(tabs[0], "All is well")
    late = await open_tab(at, maeve)
    page = (await sync_to_async(browser.get)(f"/tables/{at.table_id}/")).content.decode()
    after = "".join(tabs[0].frames).partition("You muted Ben.")[2]
    for said in (WORDS, "And another thing", '"Nice hand"'):
        assert said not in after + "".join(late.frames)
    assert WORDS not in page
    assert "You muted Ben." in page
    answer = await sync_to_async(post)(browser, at.table_id, "unmute", player=ben.pk)
    assert answer.status_code == 204
    await until_said(tabs[0], WORDS)


def test_a_muted_person_is_muted_at_every_table_and_never_told() -> None:
    maeve, ben = member("Maeve"), member("Ben")
    first, second = table(maeve, ben), table(ben, maeve)
    for at in (first, second):
        assert say(logged_in(ben), at.pk, words=WORDS).status_code == 204
    line = TalkLine.objects.filter(table=first).get()
    assert post(logged_in(maeve), first.pk, "mute", line=line.pk).status_code == 204
    assert WORDS not in logged_in(maeve).get(f"/tables/{second.pk}/").content.decode()
    page = logged_in(ben).get(f"/tables/{first.pk}/").content.decode()
    assert WORDS in page
    assert "You muted" not in page


def test_one_can_mute_only_whom_one_has_heard() -> None:
    four, otto = cast(), member("Otto")
    at = table(*four)
    other = table(member("Ada"), member("Bea"))
    for place, who in ((at, four[1]), (other, other.host)):
        assert say(logged_in(who), place.pk, words=WORDS).status_code == 204
    said, elsewhere = TalkLine.objects.order_by("pk")
    for verb in ("mute", "avoid", "report/rude"):
        assert post(logged_in(otto), at.pk, verb, line=said.pk).status_code == 404, verb
        assert post(logged_in(four[0]), at.pk, verb, line=elsewhere.pk).status_code == 404
        assert post(logged_in(four[1]), at.pk, verb, line=said.pk).status_code == 409
        assert post(Client(), at.pk, verb, line=said.pk).status_code == 403
    assert not any(one.objects.exists() for one in (Mute, Avoidance, TalkReport))


def test_there_is_a_most_that_one_can_mute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(muting, "MOST", 1)
    four = cast()
    at = table(*four)
    muting.mute(four[0], four[1], at.pk)
    muting.mute(four[0], four[1], at.pk)
    with pytest.raises(TalkError):
        muting.mute(four[0], four[2], at.pk)


def test_dont_seat_me_with_is_the_block_of_quick_games() -> None:
    four = cast()
    at = table(*four)
    say(logged_in(four[1]), at.pk, words=WORDS)
    answer = post(logged_in(four[0]), at.pk, "avoid", line=TalkLine.objects.get().pk)
    assert (answer.status_code, "never seats you with Ben" in answer.text) == (200, True)
    assert Avoidance.objects.get().other == four[1]


def test_whoever_speaks_can_be_asked_to_be_friends() -> None:
    maeve, ben = member("Maeve"), member("Ben")
    at = table(maeve, ben, *cast()[2:])
    say(logged_in(ben), at.pk, words="Well played")
    line = TalkLine.objects.get()
    answer = post(logged_in(maeve), at.pk, "friend", line=line.pk)
    assert (answer.status_code, answer.text) == (
        200, "Asked. You are friends when Ben says yes.",
    )  # fmt: skip
    assert friends.between(maeve, [ben.pk], timezone.now())[ben.pk] == Between.ASKED
    assert post(logged_in(ben), at.pk, "friend", line=line.pk).status_code == 409, "themselves"
    guest = at.seats.get(position=2).player
    assert guest is not None
    assert post(logged_in(guest), at.pk, "friend", line=line.pk).status_code == 403


class TestReports:
    @pytest.fixture
    def said(self) -> tuple[Table, tuple[Player, ...], TalkLine]:
        """Thirty lines at a table; Ben said the fifteenth."""
        four = cast()
        at = table(*four)
        for number in range(30):
            who = four[1] if number == 14 else four[2]
            words = WORDS if number == 14 else f"line {number}"
            TalkLine.objects.create(table=at, channel="players", player=who, words=words)
        TalkLine.objects.create(table=at, channel="watchers", player=four[2], words="not heard")
        return at, four, TalkLine.objects.get(words=WORDS)

    def test_the_line_goes_with_ten_before_and_after_and_the_moment(
        self, said: tuple[Table, tuple[Player, ...], TalkLine]
    ) -> None:
        at, four, line = said
        game = at.games.get()
        TalkLine.objects.filter(pk=line.pk).update(game=game, version=7)
        for _ in range(2):  # pressed twice
            answer = post(logged_in(four[0]), at.pk, "report/rude", line=line.pk)
            assert (answer.status_code, answer.text) == (200, "Thank you. A moderator reads it.")
        report = TalkReport.objects.get()
        assert (report.player, report.reporter, report.reason) == (four[1], four[0], "rude")
        assert (report.game, report.version, report.line) == (game, 7, line.pk)
        words = [one["words"] for one in report.lines]
        assert words == [*(f"line {n}" for n in range(4, 14)), WORDS,
                         *(f"line {n}" for n in range(15, 25))]  # fmt: skip
        TalkLine.objects.all().delete()
        report.refresh_from_db()
        assert len(report.lines) == 21

    def test_other_reasons_do_not_exist(
        self, said: tuple[Table, tuple[Player, ...], TalkLine]
    ) -> None:
        at, four, line = said
        assert post(logged_in(four[0]), at.pk, "report/odd", line=line.pk).status_code == 404

    def test_reports_are_limited(
        self,
        said: tuple[Table, tuple[Player, ...], TalkLine],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        at, four, line = said
        monkeypatch.setattr(reporting, "MAX_OPEN", 0)
        assert post(logged_in(four[0]), at.pk, "report/rude", line=line.pk).status_code == 409


def test_what_was_said_goes_after_a_while(settings: Any) -> None:
    settings.TALK_DAYS = 90
    four, now = cast(), timezone.now()
    at = table(*four)
    for days in (91, 89):
        past = now - timedelta(days=days)
        TalkLine.objects.create(
            table=at, channel="players", player=four[0], words=f"{days} days ago", at=past
        )
        TalkReport.objects.create(
            player=four[0], reporter=four[1], reason="rude", line=days, lines=[{}], made=past
        )
    assert keeping.delete_old(now) == 1
    assert [one.words for one in TalkLine.objects.all()] == ["89 days ago"]
    assert [len(one.lines) for one in TalkReport.objects.order_by("made")] == [0, 1]


def test_the_menu_of_a_plate_is_about_whoever_sits_there() -> None:
    maeve, ben, otto = member("Maeve"), member("Ben"), member("Otto")
    at, browser = table(maeve, ben), logged_in(maeve)
    menu = f"/tables/{at.pk}/talk/person"
    assert "Add friend" in browser.get(f"{menu}/1").content.decode()
    assert browser.get(f"{menu}/2").status_code == 404
    for verb in ("mute", "avoid", "friend"):
        assert post(browser, at.pk, verb, player=otto.pk).status_code == 404
    assert not Mute.objects.exists()

    assert post(browser, at.pk, "friend", player=ben.pk).status_code == 200
    assert "Asked<" in browser.get(f"{menu}/1").content.decode()
    assert "Accept<" in logged_in(ben).get(f"{menu}/0").content.decode()
    assert post(browser, at.pk, "mute", player=ben.pk).status_code == 204
    assert "Hear Ben again" in browser.get(f"{menu}/1").content.decode()
    assert post(browser, at.pk, "avoid", player=ben.pk).status_code == 200
    assert "Kept apart<" in browser.get(f"{menu}/1").content.decode()


def test_guests_have_no_friend_in_the_menu_of_a_plate() -> None:
    maeve, gil = member("Maeve"), player("Gil")
    at = table(maeve, gil)
    for who, seat in ((maeve, 1), (gil, 0), (member("Otto"), 1)):
        page = logged_in(who).get(f"/tables/{at.pk}/talk/person/{seat}").content.decode()
        assert "Mute" in page
        assert "Add friend" not in page
