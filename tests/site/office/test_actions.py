"""Actions of operators are recorded for ever, and most can be undone."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from euchre_site.office import actions, club_actions
from games.engine.rules import HEADS_UP
from games.models import About, Ban, OperatorAct, Player, Report
from games.people import identity
from games.seats import house_tables, lobby
from tests.factories import logged_in, member, player
from tests.site.factories import WHY, operator, post
from tests.tournaments import build
from tests.tournaments.build import joined
from tournaments.acts import starting_and_ending
from tournaments.models import Club, Entry, Event, Letter, Membership
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db


@pytest.fixture
def opal() -> Player:
    return operator()


def done(what: str) -> OperatorAct:
    """Return the action of this kind that is not an undoing."""
    return OperatorAct.objects.get(what=what, undoes=None)


def test_an_action_cannot_be_changed(opal: Player) -> None:
    assert opal.user
    act = actions.record(opal.user, actions.What.WARN, actions.subject_of(opal), WHY)
    for change in (
        act.save,
        act.delete,
        lambda: OperatorAct.objects.update(reason="Kind."),
        OperatorAct.objects.all().delete,
    ):
        with pytest.raises(TypeError):
            change()


def test_an_action_outlives_operator_and_subject(opal: Player) -> None:
    maeve = member()
    post(opal, "office_rename", maeve.pk, name="Mild", reason=WHY)
    for one in (maeve, opal):
        assert one.user
        one.user.delete()
    act = OperatorAct.objects.get()
    assert (act.by_name, act.about_name, act.reason) == ("Opal", "Mild", WHY)


class TestNames:
    def test_a_renamed_player_is_notified(self, opal: Player) -> None:
        maeve = member("Ugly Word")
        answer = post(opal, "office_rename", maeve.pk, name="Mild", reason=WHY)
        assert answer.status_code == 303
        maeve.refresh_from_db()
        assert maeve.name == "Mild"
        assert "“Ugly Word” to “Mild”" in Letter.objects.get(user=maeve.user).text

    def test_an_empty_name_gives_a_random_friendly_one(self, opal: Player) -> None:
        guest = player("Ugly Word")
        assert post(opal, "office_rename", guest.pk, reason=WHY).status_code == 303
        guest.refresh_from_db()
        assert len(guest.name.split()) == 2
        assert guest.name != "Ugly Word"

    @pytest.mark.parametrize("name", ["Ben", "B\u0435n", "Admin", "\u200b"])
    def test_the_rules_for_names_apply(self, opal: Player, name: str) -> None:
        member("Ben")
        maeve = member()
        assert post(opal, "office_rename", maeve.pk, name=name, reason=WHY).status_code == 422
        maeve.refresh_from_db()
        assert maeve.name == "Maeve"
        assert not OperatorAct.objects.exists()

    def test_renaming_can_be_undone(self, opal: Player) -> None:
        maeve = member()
        post(opal, "office_rename", maeve.pk, name="Mild", reason=WHY)
        act = done("rename")
        assert post(opal, "office_undo", act.pk, reason="My mistake.").status_code == 303
        maeve.refresh_from_db()
        assert maeve.name == "Maeve"
        assert act.undone_by.reason == "My mistake."
        post(opal, "office_undo", act.pk, reason="Again.")
        assert OperatorAct.objects.count() == 2

    def test_undo_is_refused_if_renamed_since_or_taken(self, opal: Player) -> None:
        maeve = member()
        post(opal, "office_rename", maeve.pk, name="Mild", reason=WHY)
        identity.rename(member("Mia"), "Maeve")
        browser = logged_in(opal)
        post(browser, "office_undo", done("rename").pk, reason="My mistake.")
        maeve.refresh_from_db()
        assert "is taken" in browser.get(reverse("office_acts")).content.decode()
        identity.rename(maeve, "Other")
        post(browser, "office_undo", done("rename").pk, reason="My mistake.")
        assert "changed since" in browser.get(reverse("office_acts")).content.decode()
        maeve.refresh_from_db()
        assert maeve.name == "Other"


class TestClubs:
    def test_only_staff_can_see_a_closed_club(self, opal: Player) -> None:
        event = build.event()
        club, owner = event.club, member()
        joined(club, owner, Membership.Role.OWNER)
        [entry] = build.let_in(event, [owner])
        answer = post(opal, "office_close_club", club.slug, reason=WHY)
        assert answer.status_code == 303
        paths = [
            reverse("club", args=[club.slug]),
            reverse("event", args=[event.pk]),
            reverse("club_settings", args=[club.slug]),
            reverse("club_calendar", args=[club.slug]) + f"?key={club.invite_token}",
            f"/api/clubs/{club.slug}",
            f"/api/events/{event.pk}",
        ]
        browser = logged_in(owner)
        assert [browser.get(path).status_code for path in paths] == [404] * len(paths)
        for page in ("club_list", "event_list", "your_events", "home"):
            shown = browser.get(reverse(page)).content.decode()
            assert f"/clubs/{club.slug}/" not in shown
            assert f"/events/{event.pk}/" not in shown
        assert logged_in(opal).get(paths[0]).status_code == 200
        event.refresh_from_db()
        assert event.state == Event.State.CANCELLED
        subjects = Letter.objects.filter(user=owner.user).values_list("subject", flat=True)
        assert sorted(subjects) == ["The Old Mill is closed", "Thursday euchre is cancelled"]
        assert Entry.objects.filter(pk=entry.pk).exists()

    def test_a_closed_club_can_be_reopened(self, opal: Player) -> None:
        club = build.club()
        post(opal, "office_close_club", club.slug, reason=WHY)
        post(opal, "office_undo", done("close_club").pk, reason="My mistake.")
        assert logged_in(member()).get(reverse("club", args=[club.slug])).status_code == 200
        assert post(opal, "office_reopen_club", club.slug, reason="x").status_code == 409

    def test_closing_a_club_closes_its_house_table(self, opal: Player) -> None:
        club, other = build.club(), build.club(name="The New Mill")
        tables = [
            house_tables.open_house_table(
                player(), HEADS_UP, title="House table", back=reverse("club", args=[each.slug])
            )
            for each in (club, other)
        ]
        post(opal, "office_close_club", club.slug, reason=WHY)
        assert [line.table_id for line in lobby.running_tables(None)] == [tables[1].pk]

    def test_a_closed_clubs_weekly_event_does_not_repeat(self, opal: Player) -> None:
        event = build.event(recurrence="weekly")
        post(opal, "office_close_club", event.club.slug, reason=WHY)
        assert Event.objects.count() == 1

    def test_a_club_stays_open_if_an_event_cannot_be_cancelled(
        self, opal: Player, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuses(*_args: object) -> None:
            raise RefusedError("not now", "Not now.")

        club = build.event().club
        monkeypatch.setattr(starting_and_ending, "cancel", refuses)
        assert post(opal, "office_close_club", club.slug, reason=WHY).status_code == 409
        club.refresh_from_db()
        assert club.closed is None
        assert not OperatorAct.objects.exists()

    def test_handing_over_a_club_can_be_undone(self, opal: Player) -> None:
        club, maeve, ada = build.club(), member(), member("Ada")
        joined(club, maeve, Membership.Role.OWNER)
        joined(club, ada)
        assert post(opal, "office_hand_over", club.slug, heir=str(ada.pk), reason=WHY)
        assert club_actions.owners(club) == [ada]
        assert club.memberships.get(player=maeve).role == Membership.Role.DIRECTOR
        post(opal, "office_undo", done("hand_over").pk, reason="My mistake.")
        assert club_actions.owners(club) == [maeve]

    def test_only_a_member_can_become_the_owner(self, opal: Player) -> None:
        club, ada = build.club(), member("Ada")
        joined(build.club("Elsewhere"), ada)
        answer = post(opal, "office_hand_over", club.slug, heir=str(ada.pk), reason=WHY)
        assert answer.status_code == 422

    def test_renaming_a_club_can_be_undone(self, opal: Player) -> None:
        club = build.club()
        build.club("Taken")
        taken = post(opal, "office_rename_club", club.slug, name="TAKEN", reason=WHY)
        assert taken.status_code == 409
        post(opal, "office_rename_club", club.slug, name="Mild", reason=WHY)
        club.refresh_from_db()
        assert (club.name, club.slug) == ("Mild", "the-old-mill")
        post(opal, "office_undo", done("rename").pk, reason="My mistake.")
        assert Club.objects.filter(name="The Old Mill").exists()


def test_a_ban_can_be_undone_from_the_record(opal: Player) -> None:
    maeve = member()
    post(opal, "office_ban", maeve.user_id, long="good", reason=WHY)
    post(opal, "office_undo", done("ban").pk, reason="My mistake.")
    assert Ban.objects.get().lifted is not None


def test_irreversible_actions_cannot_be_undone(opal: Player) -> None:
    maeve = member()
    assert opal.user
    act = actions.record(
        opal.user, actions.What.WARN, actions.subject_of(maeve), WHY, at=str(timezone.now())
    )
    browser = logged_in(opal)
    post(browser, "office_undo", act.pk, reason="My mistake.")
    assert "cannot be" in browser.get(reverse("office_acts")).content.decode()


def test_every_action_needs_a_reason(opal: Player) -> None:
    maeve, club = member(), build.club()
    answers = [
        post(opal, "office_rename", maeve.pk, name="Mild", reason="  "),
        post(opal, "office_close_club", club.slug, reason=""),
        post(opal, "office_rename_club", club.slug, name="Mild", reason=""),
    ]
    assert [answer.status_code for answer in answers] == [422] * 3
    assert not OperatorAct.objects.exists()


def test_invalid_names_are_refused() -> None:
    member("Ben")
    with pytest.raises(ValidationError):
        identity.rename(member(), "Ben")


class TestDeleting:
    def test_deleting_an_account_keeps_its_record(self, opal: Player) -> None:
        maeve = member()
        report(member("Ben"), maeve)
        account = maeve.user_id
        answer = post(opal, "office_delete", account, reason=WHY, sure="on")
        assert answer.status_code == 303
        assert not Player.objects.exclude(user=None).filter(pk=maeve.pk).exists()
        maeve.refresh_from_db()
        assert maeve.former
        assert Report.objects.get().about_name == maeve.name != "Maeve"
        act = done(actions.What.DELETE_ACCOUNT)
        assert (act.about_name, act.reason) == ("Maeve", WHY)
        assert not actions.reversible(act)
        assert post(opal, "office_delete", account, reason=WHY, sure="on").status_code == 404

    def test_deleting_needs_a_reason_and_confirmation(self, opal: Player) -> None:
        maeve = member()
        for fields in ({"reason": WHY}, {"reason": " ", "sure": "on"}):
            assert post(opal, "office_delete", maeve.user_id, **fields).status_code == 422
        assert Player.objects.exclude(user=None).filter(pk=maeve.pk).exists()
        assert not OperatorAct.objects.exists()

    def test_a_clubs_only_owner_cannot_be_deleted(self, opal: Player) -> None:
        maeve, club = member(), build.club()
        joined(club, maeve, Membership.Role.OWNER)
        joined(club, member("Ben"), Membership.Role.MEMBER)
        answer = post(opal, "office_delete", maeve.user_id, reason=WHY, sure="on")
        assert answer.status_code == 409
        assert Player.objects.exclude(user=None).filter(pk=maeve.pk).exists()
        assert not OperatorAct.objects.exists()

    def test_own_account_and_superusers_cannot_be_deleted(self, opal: Player) -> None:
        ruth = operator("Ruth", superuser=True)
        for whom in (opal, ruth):
            answer = post(opal, "office_delete", whom.user_id, reason=WHY, sure="on")
            assert answer.status_code == 403
            assert Player.objects.exclude(user=None).filter(pk=whom.pk).exists()


def test_required_two_step_login_blocks_the_staff_pages(opal: Player, settings: Any) -> None:
    settings.TWO_STEPS_FOR = "staff"
    maeve = member()
    assert logged_in(opal).get(reverse("office")).status_code == 303
    answer = post(opal, "office_delete", maeve.user_id, reason=WHY, sure="on")
    assert answer.status_code == 303
    assert answer["Location"].endswith("/totp/activate/")
    assert Player.objects.exclude(user=None).filter(pk=maeve.pk).exists()


def report(by: Player, whom: Player) -> None:
    Report.objects.create(
        reporter=by, about=About.PLAYER, about_id=whom.pk, about_name=whom.name, reason="name"
    )
