"""Reports of members, and the staff's decisions about them."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from euchre_site.moderation import cases, member_reports
from euchre_site.moderation.sources import Moderator
from games.models import Ban, OperatorAct, Player, Report
from games.people import house_players, limits
from tests.factories import logged_in, member, player
from tests.site.factories import WHY, decide, operator, post
from tests.tournaments import build
from tournaments.models import Club, Event, Letter, Membership
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_counted() -> None:
    cache.clear()


def report(by: Player, one: Player | Club | Event, reason: str = "name") -> Report:
    return member_reports.make(by, one, reason, "Look at this.", timezone.now())


def subjects(of: Player) -> list[str]:
    """Return the subjects of a player's letters."""
    return list(Letter.objects.filter(user=of.user).values_list("subject", flat=True))


class TestReporting:
    def test_a_member_reports_from_the_page_of_a_player(self) -> None:
        maeve, ben = member(), player("Ben")
        browser = logged_in(maeve)
        path = reverse("report_player", args=[ben.pk])
        assert path in browser.get(reverse("player", args=[ben.pk])).content.decode()
        assert browser.get(path).status_code == 200
        done = browser.post(path, {"reason": "name", "words": "It insults."})
        assert done.status_code == 303
        made = Report.objects.get()
        assert (made.reporter, made.about_name, made.words) == (maeve, "Ben", "It insults.")

    def test_clubs_and_events_can_be_reported(self) -> None:
        event = build.event()
        browser = logged_in(member())
        for page, form, key in (
            ("club", "report_club", event.club.slug),
            ("event", "report_event", event.pk),
        ):
            path = reverse(form, args=[key])
            assert path in browser.get(reverse(page, args=[key])).content.decode()
            assert browser.post(path, {"reason": "words"}).status_code == 303
        assert sorted(Report.objects.values_list("about", flat=True)) == ["club", "event"]

    def test_guests_and_visitors_need_an_account(self) -> None:
        path = reverse("report_player", args=[member().pk])
        for browser in (Client(), logged_in(player("Ben"))):
            assert browser.post(path, {"reason": "name"}).status_code == 403
            assert path not in browser.get(reverse("player", args=[1])).content.decode()
        assert not Report.objects.exists()

    def test_a_hidden_club_cannot_be_reported(self) -> None:
        club = build.club(joining=Club.Joining.INVITATION)
        path = reverse("report_club", args=[club.slug])
        assert logged_in(member()).post(path, {"reason": "name"}).status_code == 404

    def test_a_second_report_is_refused_until_decided(self) -> None:
        maeve, ben = member(), player("Ben")
        report(maeve, ben)
        with pytest.raises(RefusedError) as refused:
            report(maeve, ben)
        assert refused.value.code == "reported"
        Report.objects.update(decided=timezone.now())
        assert report(maeve, ben)

    def test_a_form_sent_twice_makes_one_report(self, monkeypatch: pytest.MonkeyPatch) -> None:
        maeve, ben = member(), player("Ben")
        report(maeve, ben)
        monkeypatch.setattr("django.db.models.QuerySet.exists", lambda _self: False)
        with pytest.raises(RefusedError) as refused:
            report(maeve, ben)
        assert refused.value.code == "reported"
        assert Report.objects.count() == 1

    def test_rate_and_number_of_reports_are_limited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        maeve = member()
        for _ in range(limits.REPORTS_IN_TEN_MINUTES):
            report(maeve, player("Ben"))
        with pytest.raises(RefusedError) as refused:
            report(maeve, player("Ben"))
        assert (refused.value.code, refused.value.status) == ("too fast", 429)
        monkeypatch.setattr(member_reports, "MAX_OPEN", 5)
        with pytest.raises(RefusedError) as refused:
            report(maeve, player("Ben"))
        assert refused.value.code == "many"

    def test_oneself_and_house_players_cannot_be_reported(self) -> None:
        maeve = member()
        for one, why in ((maeve, "yourself"), (house_players.house_players(1)[0], "house")):
            with pytest.raises(RefusedError) as refused:
                report(maeve, one)
            assert refused.value.code == why


class TestDeciding:
    def test_reporters_are_notified_without_the_decision(self) -> None:
        opal, maeve, ada, ben = operator(), member(), member("Ada"), member("Ben")
        first = report(maeve, ben)
        report(ada, ben)
        done = decide(opal, "reports", first.pk, decision="warn", reason=WHY, private="Twice now.")
        assert done.status_code == 303
        assert subjects(maeve) == subjects(ada) == ["Your report has been reviewed"]
        assert subjects(ben) == ["A message from the site’s staff"]
        assert WHY not in Letter.objects.get(user=maeve.user).text
        assert opal.user
        assert not cases.Queue(Moderator(opal.user, opal)).waiting
        acts = list(OperatorAct.objects.values_list("what", "by_name", "about_name"))
        assert acts == [("decide_report", "Opal", "Ben"), ("warn", "Opal", "Ben")]

    def test_a_warning_that_is_taken_back_is_not_sent_or_is_called_off(self) -> None:
        opal, ben = operator(), member("Ben")
        made = report(member(), ben)
        for sent in (None, timezone.now()):
            decide(opal, "reports", made.pk, decision="warn", reason=WHY)
            Letter.objects.filter(text__contains=WHY).update(sent=sent)
            act = OperatorAct.objects.filter(what="decide_report").latest("pk")
            post(opal, "take_back_decision", act.pk, reason="It was somebody else.")
            assert Letter.objects.filter(text__contains=WHY).exists() == bool(sent)
            letter = Letter.objects.filter(user=ben.user).latest("pk")
            assert "have taken back the warning" in letter.text
            assert "It was somebody else." in letter.text

    def test_only_one_of_two_simultaneous_decisions_counts(self) -> None:
        opal, olga, maeve, ben = operator(), operator("Olga"), member(), member("Ben")
        made = report(maeve, ben)
        assert decide(opal, "reports", made.pk, decision="nothing").status_code == 303
        late = logged_in(olga).post(
            reverse("case", args=["reports", made.pk]),
            {"decision": "ban", "reason": WHY, "long": "7"},
            follow=True,
        )
        assert "Someone else has already decided this." in late.text
        assert not Ban.objects.exists()

    def test_a_failed_action_decides_nothing(self) -> None:
        opal, maeve, ruth = operator(), member(), operator("Ruth", superuser=True)
        made = report(maeve, ruth)
        refused = decide(opal, "reports", made.pk, decision="ban", reason=WHY, long="7")
        assert refused.status_code == 403
        taken = decide(opal, "reports", made.pk, decision="warn", reason="")
        assert taken.status_code == 422
        made.refresh_from_db()
        assert made.decided is None
        assert not OperatorAct.objects.exists()
        assert not subjects(maeve)

    def test_closing_the_account(self) -> None:
        opal, ben = operator(), member("Ben")
        made = report(member(), ben)
        done = decide(opal, "reports", made.pk, decision="ban", reason=WHY, long="good")
        assert done.status_code == 303
        assert Ban.objects.get().until is None

    @pytest.mark.parametrize("kind", ["player", "club", "event"])
    def test_renaming(self, kind: str) -> None:
        opal, event = operator(), build.event()
        one: Any = {"player": player("Ugh"), "club": event.club, "event": event}[kind]
        made = report(member(), one)
        done = decide(opal, "reports", made.pk, decision="rename", reason=WHY, name="Mild")
        assert done.status_code == 303
        one.refresh_from_db()
        assert one.name == "Mild"

    def test_a_deleted_target_allows_no_action(self) -> None:
        opal = operator()
        club = build.club()
        made = report(member(), club)
        club.delete()
        post(opal, "case", "reports", made.pk, step="take")
        page = logged_in(opal).get(reverse("case", args=["reports", made.pk])).content.decode()
        assert "no longer exists" in page
        assert decide(opal, "reports", made.pk, decision="warn", reason=WHY).status_code == 422
        assert decide(opal, "reports", made.pk, decision="other").status_code == 303

    def test_reports_are_escaped(self) -> None:
        opal, ben = operator(), member("Ben")
        made = member_reports.make(
            member(), ben, "other", "<script>alert(1)</script>", timezone.now()
        )
        post(opal, "case", "reports", made.pk, step="take")
        page = logged_in(opal).get(reverse("case", args=["reports", made.pk])).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


def test_operators_cannot_decide_about_themselves_or_their_clubs() -> None:
    opal, club = operator(), build.club()
    build.joined(club, opal, Membership.Role.DIRECTOR)
    event = build.event(club)
    for one in (opal, club, event):
        made = report(member(f"Ben {one.pk} {type(one).__name__}"[:20]), one)
        answer = decide(opal, "reports", made.pk, decision="nothing", reason=WHY)
        assert answer.status_code == 403
    assert not Report.objects.exclude(decision="").exists()


def test_closing_needs_a_duration() -> None:
    opal, maeve = operator(), member()
    made = report(member("Ben"), maeve)
    answer = decide(opal, "reports", made.pk, decision="ban", reason=WHY)
    assert answer.status_code == 422
    assert not Ban.objects.exists()


def test_a_former_player_cannot_be_renamed() -> None:
    opal, maeve = operator(), member()
    Player.objects.filter(pk=maeve.pk).update(former=True, user=None)
    assert post(opal, "office_rename", maeve.pk, name="Mild", reason=WHY).status_code == 409
    maeve.refresh_from_db()
    assert maeve.name == "Maeve"
    made = report(member("Ben"), maeve)
    assert (
        decide(opal, "reports", made.pk, decision="rename", name="x", reason=WHY).status_code == 422
    )
    assert decide(opal, "reports", made.pk, decision="nothing").status_code == 303
