"""Cases of what was said at tables: decisions, a second moderator, taking back."""

from datetime import timedelta
from html import unescape
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.apps import apps
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from euchre_site.moderation import cases, talk_reports
from euchre_site.moderation.registry import SOURCES
from euchre_site.moderation.sources import ModerationCase, Moderator
from games.models import (
    Ban,
    OperatorAct,
    Player,
    Sanction,
    Table,
    TakenCase,
    TalkLine,
    TalkReport,
    User,
)
from tests.factories import logged_in, member, player, room, table
from tests.games.talk.test_talk import say, until_said
from tests.site import factories
from tests.site.factories import WHY, operator, post
from tests.tabs import new_tab
from tournaments.models import Letter
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db(transaction=True)

RUDE = "Stay at home next week"


@pytest.fixture
def opal() -> Client:
    return logged_in(operator("Opal"))


@pytest.fixture
def omar() -> Client:
    return logged_in(operator("Omar"))


@pytest.fixture
def at() -> Table:
    """Jonah and Iris with accounts, and two guests."""
    return table(member("Jonah"), member("Iris"), player("Maeve"), player("Ben"))


@pytest.fixture
def report(at: Table) -> TalkReport:
    """Iris reports what Jonah, the host, has said."""
    iris = Player.objects.get(name="Iris")
    assert say(logged_in(at.host), at.pk, words=RUDE).status_code == 204
    browser = logged_in(iris)
    line = TalkLine.objects.get()
    answer = browser.post(f"/tables/{at.pk}/talk/report/rude", {"line": line.pk})
    assert answer.status_code == 303
    return TalkReport.objects.get()


def opened(browser: Client, report: TalkReport) -> str:
    assert post(browser, "case", "talk", report.pk, step="take").status_code == 303
    return shown(browser, report)


def shown(browser: Client, report: TalkReport) -> str:
    return browser.get(reverse("case", args=["talk", report.pk])).content.decode()


def decide(browser: Client, report: TalkReport, decision: str, reason: str = WHY) -> Any:
    return factories.decide(browser, "talk", report.pk, decision=decision, reason=reason)


def moderator(name: str = "Opal") -> Moderator:
    user = User.objects.get(email__startswith=name.lower())
    return Moderator(user, Player.objects.get(user=user))


def case_of(report: TalkReport, by: Moderator) -> ModerationCase:
    found = SOURCES["talk"].case(by, report.pk)
    assert found is not None
    return found


class TestTheQueue:
    def test_a_case_is_read_whole_once_it_is_open(self, opal: Client, report: TalkReport) -> None:
        listed = opal.get(reverse("cases")).content.decode()
        assert "Jonah" in listed
        assert "Rude or insulting" in listed
        assert RUDE not in shown(opal, report)
        assert RUDE in opened(opal, report)

    def test_it_is_kept_for_ten_minutes(
        self, opal: Client, omar: Client, report: TalkReport
    ) -> None:
        opened(opal, report)
        assert RUDE not in opened(omar, report)
        assert decide(omar, report, "warn").status_code == 409
        TakenCase.objects.update(until=timezone.now() - timedelta(seconds=1))
        assert RUDE in opened(omar, report)

    def test_it_can_be_left_to_another(
        self, opal: Client, omar: Client, report: TalkReport
    ) -> None:
        opened(opal, report)
        post(opal, "case", "talk", report.pk, step="leave")
        assert RUDE in opened(omar, report)

    def test_reports_on_one_player_at_one_table_are_one_case(
        self, at: Table, report: TalkReport, opal: Client
    ) -> None:
        ben = Player.objects.get(name="Ben")
        say(logged_in(at.host), at.pk, words="And another thing")
        line = TalkLine.objects.latest("pk")
        logged_in(ben).post(f"/tables/{at.pk}/talk/report/spam", {"line": line.pk})
        ((case, _),) = cases.Queue(moderator()).cases()
        assert (len(case.rows), case.origin.split(" · ")[0]) == (2, "From Iris and 1 more")
        assert [one["reported"] for one in talk_reports.transcript(case.rows)] == [True, True]
        assert decide(opal, report, "warn").status_code == 303
        assert not TalkReport.objects.filter(decided=None).exists()

    def test_two_reports_of_one_person_are_one_persons(
        self, at: Table, report: TalkReport, opal: Client
    ) -> None:
        say(logged_in(at.host), at.pk, words="And another thing")
        line = TalkLine.objects.latest("pk")
        iris = Player.objects.get(name="Iris")
        logged_in(iris).post(f"/tables/{at.pk}/talk/report/spam", {"line": line.pk})
        ((case, _),) = cases.Queue(moderator()).cases()
        assert (len(case.rows), case.origin.split(" · ")[0]) == (2, "From Iris")
        assert decide(opal, report, "warn").status_code == 303
        reviewed = Letter.objects.filter(subject__contains="Your report has been reviewed")
        assert reviewed.count() == 1

    def test_nobody_judges_a_game_they_played_in(self, at: Table, report: TalkReport) -> None:
        now = timezone.now()
        for name in ("Iris", "Jonah"):
            User.objects.filter(player__name=name).update(is_staff=True)
            by = moderator(name)
            with pytest.raises(RefusedError, match="You played in this game"):
                cases.take(by, case_of(report, by), now)
            with pytest.raises(RefusedError, match="You played in this game"):
                cases.decide(by, case_of(report, by), {"decision": "warn", "reason": WHY}, now)
        ada = member("Ada")  # was at the table when the game was played, and has left since
        at.seats.filter(position=3).update(player=ada)
        game = at.games.get()
        game.seats.filter(position=3).update(player=ada)
        at.seats.filter(position=3).update(player=None)
        TalkReport.objects.update(game=game)
        report.refresh_from_db()
        User.objects.filter(player=ada).update(is_staff=True)
        by = moderator("Ada")
        with pytest.raises(RefusedError, match="You played in this game"):
            cases.take(by, case_of(report, by), now)

    def test_nobody_else_has_the_pages(self, report: TalkReport) -> None:
        for browser in (Client(), logged_in(member("Otto"))):
            path = reverse("case", args=["talk", report.pk])
            assert browser.get(path).status_code == 403
            assert browser.post(path, {"step": "take"}).status_code == 403


class TestDecisions:
    @pytest.mark.parametrize(("decision", "days"), [("day", 1), ("week", 7)])
    def test_a_silence_leaves_the_phrases(
        self, opal: Client, at: Table, report: TalkReport, decision: str, days: int
    ) -> None:
        now = timezone.now()
        assert decide(opal, report, decision).status_code == 303
        until = Sanction.objects.get().until
        assert until is not None
        assert abs(until - now - timedelta(days=days)) < timedelta(minutes=1)
        jonah = logged_in(at.host)
        refused = say(jonah, at.pk, words="hello")
        assert refused.status_code == 403
        assert refused.text.startswith("You can use the phrases until ")
        assert WHY in refused.text
        assert say(jonah, at.pk, phrase="0").status_code == 204
        page = jonah.get(f"/tables/{at.pk}/").content.decode()
        assert "You can use the phrases until" in page
        subjects = Letter.objects.filter(user=at.host.user).values_list("subject", flat=True)
        assert list(subjects) == ["A message from the site’s staff"]
        assert Letter.objects.filter(user__player__name="Iris").exists()
        Sanction.objects.update(until=now)
        assert say(jonah, at.pk, words="I am back").status_code == 204

    async def test_it_takes_effect_at_once_where_the_player_watches(
        self, opal: Client, omar: Client, report: TalkReport
    ) -> None:
        jonah, iris = [await Player.objects.aget(name=name) for name in ("Jonah", "Iris")]
        elsewhere = await room()
        tab, other = [await new_tab(elsewhere.table_id, who) for who in (jonah, iris)]
        for one in (tab, other):
            assert await one.connect() is None
        assert (await sync_to_async(decide)(opal, report, "day")).status_code == 303
        own = (await until_said(tab, WHY))["own"]
        assert own["talk.why"].startswith("You can use the phrases until ")
        assert own["talk.free"] is not True
        act = await OperatorAct.objects.aget()
        answer = await sync_to_async(post)(omar, "take_back_decision", act.pk, reason=WHY)
        assert answer.status_code == 303
        while "talk.free" not in (own := (await tab.frame()).get("own", {})):
            pass
        assert own["talk.free"] is True
        assert WHY not in "".join(other.frames)

    def test_a_warning_is_read_at_the_table(
        self, opal: Client, at: Table, report: TalkReport
    ) -> None:
        assert decide(opal, report, "warn").status_code == 303
        jonah = logged_in(at.host)
        page = unescape(jonah.get(f"/tables/{at.pk}/").content.decode())
        assert f"A moderator warns you: {WHY}" in page
        assert say(jonah, at.pk, words="sorry").status_code == 204

    def test_dismissing_needs_no_reason_and_all_else_does(
        self, opal: Client, report: TalkReport
    ) -> None:
        for decision in ("warn", "day", "week", "ban"):
            assert decide(opal, report, decision, "").status_code == 422
        assert decide(opal, report, "dismiss", "").status_code == 303
        assert not Sanction.objects.exists()

    def test_a_ban_needs_a_second_moderator(
        self, opal: Client, omar: Client, at: Table, report: TalkReport
    ) -> None:
        assert decide(opal, report, "ban").status_code == 303
        assert not Ban.objects.exists()
        assert decide(opal, report, "ban").status_code == 403
        assert "proposes to close the account" in opened(omar, report)
        assert decide(omar, report, "ban").status_code == 303
        assert Ban.objects.get().user == at.host.user
        assert not TalkReport.objects.filter(decided=None).exists()

    def test_a_guest_has_no_account_to_close(self, opal: Client, report: TalkReport) -> None:
        TalkReport.objects.update(player=Player.objects.get(name="Ben"))
        assert decide(opal, report, "ban").status_code == 422
        assert decide(opal, report, "day").status_code == 303


def before(who: Player, *kinds: str, days_ago: int = 30) -> None:
    """Warn or silence somebody so many days before today, then a day later and so on."""
    for number, kind in enumerate(kinds):
        made = timezone.now() - timedelta(days=days_ago - number)
        until = made + timedelta(days=1) if kind == "silence" else None
        Sanction.objects.create(player=who, made=made, until=until, reason=WHY, by_name="Opal")


def suggested(report: TalkReport) -> tuple[str, str]:
    found = talk_reports.suggestion_for(case_of(report, moderator()), moderator())
    return (found.decision, found.why) if found else ("", "")


@pytest.mark.usefixtures("opal")
class TestSuggestion:
    @pytest.mark.parametrize(
        ("kinds", "decision", "words"),
        [
            ((), "warn", "no warning or silence"),
            (("warning",), "day", "warned on "),
            (("warning", "warning"), "day", "warned on "),
            (("warning", "silence"), "week", "silenced on "),
            (("silence", "warning"), "week", "silenced on "),
            (("silence", "silence"), "ban", "silenced before, last on "),
            (("warning", "silence", "silence", "warning"), "ban", "silenced before, last on "),
        ],
    )
    def test_one_step_beyond_what_was_done(
        self, report: TalkReport, at: Table, kinds: tuple[str, ...], decision: str, words: str
    ) -> None:
        before(at.host, *kinds)
        found, why = suggested(report)
        assert (found, why.startswith(words)) == (decision, True)

    def test_the_date_is_that_of_the_latest(self, report: TalkReport, at: Table) -> None:
        before(at.host, "silence", "silence", "warning")
        latest = Sanction.objects.filter(until__isnull=False).order_by("-made")[0]
        on = f"{timezone.localtime(latest.made):%-d %B %Y}"
        assert suggested(report) == ("ban", f"silenced before, last on {on}")

    def test_what_was_taken_back_or_is_older_than_a_year_does_not_count(
        self, report: TalkReport, at: Table
    ) -> None:
        before(at.host, "silence", "silence", days_ago=400)
        before(at.host, "silence")
        Sanction.objects.filter(made__gt=timezone.now() - timedelta(days=60)).update(
            lifted=timezone.now()
        )
        assert suggested(report)[0] == "warn"

    def test_what_was_done_after_the_words_does_not_count(
        self, report: TalkReport, at: Table
    ) -> None:
        """Two tables of one evening: the player had not been warned when they spoke."""
        Sanction.objects.create(player=at.host, reason=WHY, by_name="Opal")
        assert suggested(report)[0] == "warn"
        TalkReport.objects.update(lines=[], made=timezone.now())  # deleted after their time
        report.refresh_from_db()
        assert suggested(report)[0] == "day"

    def test_a_guest_has_no_account_to_close(self, report: TalkReport) -> None:
        ben = Player.objects.get(name="Ben")
        before(ben, "silence", "silence")
        TalkReport.objects.update(player=ben)
        report.refresh_from_db()
        decision, why = suggested(report)
        assert (decision, "no account to close" in why) == ("week", True)

    def test_of_somebody_who_has_left_nothing_is_suggested(
        self, report: TalkReport, at: Table
    ) -> None:
        Player.objects.filter(pk=at.host.pk).update(former=True, user=None)
        assert suggested(report) == ("", "")

    def test_it_is_marked_and_nothing_is_chosen_or_done(
        self, opal: Client, report: TalkReport, at: Table
    ) -> None:
        before(at.host, "warning")
        page = " ".join(opened(opal, report).split())
        assert page.count(">Suggested<") == 1
        verdict = page[page.index('value="day"') :]
        assert verdict.index(">Suggested<") < verdict.index("</label>")
        assert "Suggested by what was done before: warned on " in page
        assert 'name="decision" value="day">' in page  # not checked
        assert Sanction.objects.count() == 1
        assert post(opal, "case", "talk", report.pk, reason=WHY).status_code == 422
        assert decide(opal, report, "dismiss", "").status_code == 303
        assert Sanction.objects.count() == 1

    def test_a_ban_is_only_proposed(
        self, opal: Client, omar: Client, report: TalkReport, at: Table
    ) -> None:
        before(at.host, "silence", "silence")
        assert ">Suggested<" in opened(opal, report)
        assert decide(opal, report, "ban").status_code == 303
        assert not Ban.objects.exists()
        assert ">Suggested<" in opened(omar, report)


class TestTakingBack:
    @pytest.mark.parametrize("decision", ["warn", "day", "week", "dismiss", "ban"])
    def test_a_decision_is_taken_back_and_the_record_keeps_both(
        self, opal: Client, at: Table, report: TalkReport, decision: str
    ) -> None:
        decide(opal, report, decision)
        act = OperatorAct.objects.latest("pk")
        assert "Undo" in opal.get(reverse("cases")).content.decode()
        assert post(opal, "take_back_decision", act.pk, reason="My mistake.").status_code == 303
        undone = OperatorAct.objects.latest("pk")
        assert (undone.undoes, undone.what) == (act, "take_back")
        assert say(logged_in(at.host), at.pk, words="hello").status_code == 204
        assert TalkReport.objects.filter(decided=None).exists()
        assert not TakenCase.objects.exclude(proposed_by=None).exists()
        post(opal, "take_back_decision", act.pk, reason="Again.")
        assert OperatorAct.objects.latest("pk") == undone

    @pytest.mark.parametrize("decision", ["warn", "dismiss"])
    def test_a_decision_of_an_earlier_version_is_taken_back(
        self, opal: Client, report: TalkReport, decision: str
    ) -> None:
        """They were stored before there were cases, without the name of their kind."""
        decide(opal, report, decision)
        old: QuerySet[OperatorAct] = QuerySet(OperatorAct).filter(detail__has_key="case")
        kept = {key: value for key, value in old.get().detail.items() if key != "case"}
        old.update(detail=kept | {"talk": kept.pop("rows")})
        migration = import_module("games.migrations.0007_talk_acts_are_of_cases")
        migration.rename_keys(apps, SimpleNamespace(connection=connection))
        act = OperatorAct.objects.latest("pk")
        assert "Undo this" in opal.get(reverse("cases")).text
        assert post(opal, "take_back_decision", act.pk, reason="My mistake.").status_code == 303
        assert TalkReport.objects.filter(decided=None).exists()
        assert not Sanction.objects.filter(lifted=None).exists()


def test_the_overview_says_what_waits(opal: Client, report: TalkReport) -> None:
    assert "Reports of talk" in opal.get(reverse("office")).content.decode()
    TalkReport.objects.update(made=timezone.now() - timedelta(days=2))
    assert "1 waiting, the oldest since" in opal.get(reverse("office")).content.decode()
