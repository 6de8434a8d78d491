"""The queue of cases: one for all kinds of evidence, who has which, and who decides."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from itertools import product
from threading import Barrier
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.signals import post_init
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from structlog.testing import capture_logs

from euchre_site.moderation import cases, member_reports
from euchre_site.moderation.registry import SOURCES
from euchre_site.moderation.sources import Moderator
from games.models import OperatorAct, Player, Report, TakenCase, TalkReport, User
from tests.factories import logged_in, member, player, table
from tests.site.factories import WHY, decide, operator, post
from tests.tournaments import build
from tests.tournaments.fair_play.story import Story
from tournaments.models import Club, FairPlayMatter, Letter, Membership, RatingHold
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


def reported(name: str = "Ben") -> Report:
    return member_reports.make(member(f"By {name}"), member(name), "name", "", timezone.now())


def moderator(player: Player) -> Moderator:
    assert player.user
    return Moderator(player.user, player)


def one_of_each() -> dict[str, int]:
    """Evidence of each source about somebody else; returns one key of each."""
    story, at = Story(), table(member("Tess"), member("Uma"), member("Vera"), member("Walt"))
    talk = TalkReport.objects.create(
        player=at.host, reporter=Player.objects.get(name="Uma"), reason="rude", table=at, line=1
    )
    hold = RatingHold.objects.create(pairing=story.pairing, reason="fast", found="5 games")
    return {
        "reports": reported("Zoe").pk,
        "talk": talk.pk,
        "ratings": hold.pk,
        "signs": story.open().pk,
    }


def test_all_kinds_of_evidence_wait_in_one_queue_the_oldest_first() -> None:
    evidence, opal = one_of_each(), operator()
    assert set(evidence) == set(SOURCES)
    build.joined(Club.objects.get(), opal, Membership.Role.MODERATOR)
    page = logged_in(opal).get(reverse("cases")).text
    for source, number in evidence.items():
        assert reverse("case", args=[source, number]) in page
    found = [case.since for case, _ in cases.Queue(moderator(opal)).cases()]
    assert found == sorted(found)


@pytest.mark.parametrize("source", SOURCES)
def test_a_case_of_any_kind_is_taken_read_and_decided(source: str) -> None:
    number, opal = one_of_each()[source], logged_in(operator())
    page = reverse("case", args=[source, number])
    assert 'name="decision"' not in opal.get(page).text
    assert post(opal, "case", source, number, step="take").status_code == 303
    shown = opal.get(page)
    assert 'name="decision"' in shown.text
    closing = {"reports": "nothing", "talk": "dismiss", "ratings": "pass", "signs": "dismiss"}
    assert decide(opal, source, number, decision=closing[source], reason=WHY).status_code == 303
    assert not TakenCase.objects.exists()
    assert reverse("case", args=[source, number]) not in opal.get(reverse("cases")).text


def more_cases(source: str, number: int) -> list[int]:
    """More evidence of a kind, each of a case of its own; returns its keys, the oldest first."""
    start, made = User.objects.count(), []
    club, ada = Club.objects.get(), Player.objects.get(name="Ada")
    for at in range(start, start + number):
        when, who = timezone.now() + timedelta(minutes=at), member(f"P {source} {at}")
        row: Model
        if source == "reports":
            row = member_reports.make(ada, who, "name", "", when)
            cache.clear()
        elif source == "talk":
            row = TalkReport.objects.create(player=who, reason="rude", line=at, made=when)
        elif source == "ratings":
            game = table(who, *map(player, ("Ida", "Jo", "Kim"))).games.get()
            row = RatingHold.objects.create(game=game, reason="fast", found="5", made=when)
        else:
            row = FairPlayMatter.objects.create(
                club=club, player=who, kind="clock", sign=f"s{at}", opened_by=ada, opened=when
            )
        made.append(row.pk)
    return made


@contextmanager
def rows_read(source: str) -> Iterator[list[Model]]:
    """Collect the rows of evidence that are read."""
    read: list[Model] = []

    def count(instance: Model, **_kwargs: Any) -> None:
        if instance.pk is not None:
            read.append(instance)

    post_init.connect(count, sender=SOURCES[source].model)
    try:
        yield read
    finally:
        post_init.disconnect(count, sender=SOURCES[source].model)


@pytest.mark.parametrize("source", SOURCES)
def test_however_many_wait_the_oldest_are_read_page_by_page(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "LISTED", 3)
    monkeypatch.setattr(cases, "PER_PAGE", 2)
    one_of_each()
    for other in SOURCES.values():
        QuerySet(other.model).delete()
    opal = operator()
    build.joined(Club.objects.get(), opal, Membership.Role.MODERATOR)
    browser, numbers = logged_in(opal), more_cases(source, 4)
    links = [reverse("case", args=[source, number]) for number in numbers]
    read = []
    for _more in range(2):
        with rows_read(source) as rows:
            first = browser.get(reverse("cases"))
        read.append(len(rows))
        assert "More than 3 are open" in first.text
        assert [link in first.text for link in links] == [True, True, False, False]
        second = browser.get(reverse("cases"), {"page": 2}).text
        assert [link in second for link in links] == [False, False, True, False]
        more_cases(source, 4)
    assert read[0] == read[1]


@pytest.mark.parametrize("source", SOURCES)
def test_a_case_is_decided_without_reading_the_others_that_wait(source: str) -> None:
    number, opal = one_of_each()[source], operator()
    Club.objects.update(closed=timezone.now())
    by, read = moderator(opal), []
    for _more in range(2):
        with rows_read(source) as rows:
            case = SOURCES[source].case(by, number)
        assert case
        assert number in [row.pk for row in case.rows]
        read.append(len(rows))
        more_cases(source, 4)
    assert read[0] == read[1]


def test_a_kind_of_evidence_that_cannot_be_read_hides_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    evidence, opal = one_of_each(), operator()
    build.joined(Club.objects.get(), opal, Membership.Role.MODERATOR)
    browser = logged_in(opal)

    def broken(*_args: Any) -> None:
        raise OSError("a broken disk")

    for source, fault in product(SOURCES, ("waiting", "why_not")):
        with monkeypatch.context() as patch, capture_logs() as logs:
            patch.setattr(SOURCES[source], fault, broken)
            page = browser.get(reverse("cases"))
        assert page.status_code == 200
        told = f"“{SOURCES[source].label}” could not be read just now"
        assert page.text.count("could not be read") == page.text.count(told) == 1
        for key, number in evidence.items():
            assert (reverse("case", args=[key, number]) in page.text) == (key != source)
        (fault_line,) = [one for one in logs if one["log_level"] == "error"]
        assert (fault_line["kind"], fault_line["exc_info"]) == (source, True)


def test_a_decision_that_cannot_be_taken_back_says_so() -> None:
    opal = operator()
    OperatorAct.objects.create(
        what="decide_report", by_name="Olga", about="player", about_id=1, about_name="Ben",
        detail={"decision": "nothing", "reports": 2},
    )  # fmt: skip
    page = logged_in(opal).get(reverse("office_acts")).text
    assert "Decided in an earlier version of the site: it cannot be undone." in page
    assert "Undo" not in page


@pytest.mark.parametrize("source", SOURCES)
def test_a_case_has_one_moderator_at_a_time(source: str) -> None:
    number, people = one_of_each()[source], (operator(), operator("Olga"))
    for one in people:
        build.joined(Club.objects.get(), one, Membership.Role.MODERATOR)
    opal, olga = map(logged_in, people)
    post(opal, "case", source, number, step="take")
    told = post(olga, "case", source, number, step="take")
    assert "Another moderator has opened this until" in olga.get(told.url).text
    assert "Opal has it" in olga.get(reverse("cases")).text
    late = post(olga, "case", source, number, decision="dismiss", reason=WHY)
    assert late.status_code in (409, 422)
    post(opal, "case", source, number, step="leave")
    assert post(olga, "case", source, number, step="take").status_code == 303
    assert 'name="decision"' in olga.get(reverse("case", args=[source, number])).text


def test_a_reason_is_not_lost_though_it_took_more_than_ten_minutes_to_write() -> None:
    number, opal, olga = reported().pk, operator(), operator("Olga")
    for taker in (opal, olga):
        post(taker, "case", "reports", number, step="take")
        TakenCase.objects.update(until=timezone.now())
    late = post(opal, "case", "reports", number, decision="warn", reason=WHY)
    assert late.status_code == 409
    assert f"Your reason has not been sent: “{WHY}”" in late.text
    answer = post(olga, "case", "reports", number, decision="warn", reason=WHY)
    assert answer.status_code == 303
    assert Report.objects.get().decision == "warn"


def test_a_case_of_a_later_page_is_shown_beside_that_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "PER_PAGE", 1)
    first, second = reported("Ben").pk, reported("Zoe").pk
    opal = logged_in(operator())
    opening = f"{reverse('case', args=['reports', second])}?page=2"
    assert f'action="{opening}"' in opal.get(reverse("cases"), {"page": 2}).text
    shown = opal.post(opening, {"step": "take"})
    assert shown["Location"] == f"{opening}#report"
    page = opal.get(opening).text
    assert reverse("case", args=["reports", first]) not in page
    assert 'aria-current="true"' in page
    assert opal.post(opening, {"step": "leave"})["Location"] == f"{reverse('cases')}?page=2"


def test_a_case_is_opened_before_it_is_decided() -> None:
    number, opal = reported().pk, operator()
    answer = post(opal, "case", "reports", number, decision="nothing")
    assert answer.status_code == 409
    assert "Open it first" in answer.text
    assert not OperatorAct.objects.exists()


def test_what_came_while_a_case_was_open_is_decided_with_it() -> None:
    first, opal = reported(), operator()
    post(opal, "case", "reports", first.pk, step="take")
    ben = Player.objects.get(name="Ben")
    member_reports.make(member("Ada"), ben, "name", "", timezone.now())
    post(opal, "case", "reports", first.pk, decision="nothing")
    assert not Report.objects.filter(decided=None).exists()
    assert Letter.objects.filter(subject__contains="reviewed").count() == 2


def test_what_came_after_the_time_of_a_case_is_read_before_it_is_decided() -> None:
    first, opal = reported(), operator()
    post(opal, "case", "reports", first.pk, step="take")
    TakenCase.objects.update(until=timezone.now())
    ben = Player.objects.get(name="Ben")
    member_reports.make(member("Ada"), ben, "name", "", timezone.now())
    late = post(opal, "case", "reports", first.pk, decision="warn", reason=WHY)
    assert late.status_code == 409
    assert "New reports came. Open it again and read them first." in late.text
    assert f"Your reason has not been sent: “{WHY}”" in late.text
    assert Report.objects.filter(decided=None).count() == 2
    post(opal, "case", "reports", first.pk, step="take")
    answer = post(opal, "case", "reports", first.pk, decision="warn", reason=WHY)
    assert answer.status_code == 303
    assert not Report.objects.filter(decided=None).exists()


def test_a_decision_is_on_the_record_and_taken_back_once() -> None:
    made, opal, olga = reported(), operator(), operator("Olga")
    decide(opal, "reports", made.pk, decision="other", private="Talked to them.")
    act = OperatorAct.objects.get()
    assert (act.what, act.by_name, act.about_name) == ("decide_report", "Opal", "Ben")
    assert "Talked to them." in logged_in(olga).get(reverse("cases")).text
    for _again in range(2):
        post(olga, "take_back_decision", act.pk, reason="Too soon.")
    undone = OperatorAct.objects.exclude(pk=act.pk).get()
    assert (undone.undoes, undone.by_name) == (act, "Olga")
    assert decide(olga, "reports", made.pk, decision="nothing").status_code == 303


def test_a_decision_is_taken_back_although_somebody_has_reported_it_again() -> None:
    made, opal = reported(), operator()
    member_reports.make(member("Ada"), Player.objects.get(name="Ben"), "name", "", timezone.now())
    decide(opal, "reports", made.pk, decision="nothing")
    again = member_reports.make(
        Player.objects.get(name="Ada"), Player.objects.get(name="Ben"), "spam", "", timezone.now()
    )
    act = OperatorAct.objects.get()
    assert post(opal, "take_back_decision", act.pk, reason="Too soon.").status_code == 303
    assert set(Report.objects.filter(decided=None)) == {made, again}
    ((case, _),) = cases.Queue(moderator(opal)).cases()
    assert len(case.rows) == 2


def test_older_evidence_that_is_opened_again_takes_no_case_from_whoever_has_it() -> None:
    at, ben = table(member("Tess"), member("Uma"), member("Vera"), member("Walt")), member("Ben")
    opal, olga = operator(), operator("Olga")

    def said(line: int) -> TalkReport:
        return TalkReport.objects.create(
            player=ben, reporter=at.host, reason="rude", table=at, line=line
        )

    older = said(1)
    decide(opal, "talk", older.pk, decision="dismiss")
    dismissed = OperatorAct.objects.get()
    newer = said(2)
    decide(opal, "talk", newer.pk, decision="ban", reason=WHY)
    post(olga, "take_back_decision", dismissed.pk, reason="Too soon.")
    ((case, _),) = cases.Queue(moderator(olga)).cases()
    assert [row.pk for row in case.rows] == [older.pk, newer.pk]
    assert "Waits for a second moderator" in logged_in(olga).get(reverse("cases")).text
    assert decide(opal, "talk", older.pk, decision="dismiss").status_code == 403
    assert decide(olga, "talk", older.pk, decision="ban", reason=WHY).status_code == 303
    assert not TakenCase.objects.exists()


def test_only_the_proposal_that_still_stands_is_taken_back() -> None:
    at, ben = table(member("Tess"), member("Uma"), member("Vera"), member("Walt")), member("Ben")
    opal, olga = operator(), operator("Olga")
    made = TalkReport.objects.create(player=ben, reporter=at.host, reason="rude", table=at, line=1)
    decide(opal, "talk", made.pk, decision="ban", reason=WHY)
    proposal = OperatorAct.objects.get()
    decide(olga, "talk", made.pk, decision="dismiss")
    post(opal, "take_back_decision", OperatorAct.objects.latest("pk").pk, reason="No.")
    decide(olga, "talk", made.pk, decision="ban", reason=WHY)
    post(opal, "take_back_decision", proposal.pk, reason="No.")
    assert TakenCase.objects.get().proposed_by == olga.user
    assert not OperatorAct.objects.filter(undoes=proposal).exists()


def test_a_decision_is_not_undone_among_the_acts_on_accounts() -> None:
    made, opal = reported(), operator()
    build.club()
    decide(opal, "reports", made.pk, decision="nothing")
    act = OperatorAct.objects.get()
    assert post(opal, "office_undo", act.pk, reason="No.").status_code == 303
    assert OperatorAct.objects.count() == 1


def test_staff_are_asked_about_signs_that_nobody_else_in_the_club_may_judge() -> None:
    number, opal = one_of_each()["signs"], operator()

    def waits() -> bool:
        return reverse("case", args=["signs", number]) in logged_in(opal).get(reverse("cases")).text

    assert not waits()
    Club.objects.update(closed=timezone.now())
    assert waits()


def test_only_decisions_in_cases_are_taken_back_here() -> None:
    opal, ben = operator(), member("Ben")
    post(opal, "office_rename", ben.pk, name="Mild", reason=WHY)
    act = OperatorAct.objects.get()
    post(opal, "take_back_decision", act.pk, reason="Too soon.")
    assert OperatorAct.objects.count() == 1
    assert post(opal, "take_back_decision", act.pk + 1, reason="x").status_code == 404


def test_moderators_of_a_club_see_its_cases_and_no_others() -> None:
    evidence = one_of_each()
    ada = logged_in(Player.objects.get(name="Ada"))
    page = ada.get(reverse("cases")).text
    assert reverse("case", args=["signs", evidence["signs"]]) in page
    assert "The office" not in page
    for source in ("reports", "talk", "ratings"):
        assert reverse("case", args=[source, evidence[source]]) not in page
        assert ada.get(reverse("case", args=[source, evidence[source]])).status_code == 404
        assert post(ada, "case", source, evidence[source], step="take").status_code == 404
    Club.objects.update(closed=timezone.now())
    assert ada.get(reverse("cases")).status_code == 403


@pytest.mark.parametrize(("source", "number"), [("reports", 7), ("nothing", 1), ("signs", 7)])
def test_evidence_that_does_not_exist_is_not_found(source: str, number: int) -> None:
    opal = operator()
    assert logged_in(opal).get(f"/moderation/{source}/{number}/").status_code == 404
    assert post(opal, "case", source, number, step="take").status_code == 404


def test_others_have_no_queue() -> None:
    for browser in (Client(), logged_in(member("Otto"))):
        assert browser.get(reverse("cases")).status_code == 403


def test_a_source_that_cannot_be_read_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision fails as a whole: the case waits, and whoever has it still has it."""
    made, opal = reported(), operator()
    post(opal, "case", "reports", made.pk, step="take")

    def broken(*_args: Any, **_kwargs: Any) -> None:
        raise OSError("no mail")

    monkeypatch.setattr("euchre_site.moderation.sources.letters.write", broken)
    with pytest.raises(OSError, match="no mail"):
        post(opal, "case", "reports", made.pk, decision="nothing")
    made.refresh_from_db()
    assert made.decided is None
    assert not OperatorAct.objects.exists()
    assert TakenCase.objects.get().by == opal.user


@pytest.fixture
def _patient_pool(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> None:
    """Let sixty wait for a few connections as long as a busy machine takes."""
    pool = getattr(connection, "pool", None)
    if pool is not None:
        monkeypatch.setattr(pool, "timeout", 300.0)


@pytest.mark.usefixtures("_patient_pool")
@pytest.mark.django_db(transaction=True)
def test_one_of_sixty_concurrent_decisions_counts_and_the_others_get_a_message() -> None:
    staff = [moderator(operator(name)) for name in ("Opal", "Olga", "Otis")]
    made, now, told = reported(), timezone.now(), []
    number = 21 if connection.vendor == "sqlite" else 60
    barrier = Barrier(number)
    given = {"decision": "nothing", "reason": "", "private": ""}

    def all_of_it(by: Moderator) -> None:
        barrier.wait()
        try:
            found = SOURCES["reports"].case(by, made.pk)
            if found is None:
                raise RefusedError("decided", "")
            cases.take(by, found, now)
            told.append(cases.decide(by, found, given, now))
        except RefusedError as error:
            told.append(error.code)
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as threads:
        list(threads.map(all_of_it, staff * (number // 3)))
    assert len(told) == number
    assert set(told) - {"decided", "taken"} == {
        "Decided. The reporters are told that you looked at it."
    }
    assert OperatorAct.objects.count() == 1
    assert Letter.objects.filter(subject__contains="reviewed").count() == 1
    assert not TakenCase.objects.exists()
