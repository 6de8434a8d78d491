"""Nobody can use a closed account until it is reopened."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from euchre_site.office import account_actions
from euchre_site.office.tasks import keep_bans
from euchre_site.own_data import deletion
from games.engine.rules import CLASSIC_24
from games.models import Ban, OperatorAct, Player, Proposal, Scope, Seat, Token, User
from games.people import bans, identity
from games.programs import programs, tokens
from games.seats import leaving, seating
from tests.factories import PASSWORD, cast, logged_in, member, player, table
from tests.site.factories import WHY, operator, post
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.entering import partners
from tournaments.models import Entry, Letter, Notice
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

pytestmark = pytest.mark.django_db
WEEK = timedelta(days=7)


@pytest.fixture
def opal() -> Player:
    return operator()


def closed(who: Player, by: Player, until: Any = None) -> Ban:
    assert who.user
    assert by.user
    account_actions.ban(by.user, who.user, WHY, until, timezone.now())
    who.refresh_from_db()
    return Ban.objects.get(user=who.user, lifted=None)


class TestLogin:
    def test_open_sessions_end(self, opal: Player) -> None:
        maeve = member()
        browser = logged_in(maeve)
        assert "maeve@example.com" in browser.get(reverse("you")).content.decode()
        closed(maeve, opal)
        page = browser.get(reverse("you")).content.decode()
        assert "maeve@example.com" not in page
        assert WHY in page

    def test_login_with_the_right_password_shows_the_reason(self, opal: Player) -> None:
        closed(member(), opal)
        login = reverse("account_login")
        refused = Client().post(login, {"login": "maeve@example.com", "password": PASSWORD})
        assert refused.status_code == 403
        assert WHY in refused.content.decode()
        wrong = Client().post(login, {"login": "maeve@example.com", "password": "not this one"})
        assert wrong.status_code == 200
        assert WHY not in wrong.content.decode()

    def test_no_password_reset_mail_is_sent(self, opal: Player) -> None:
        maeve = member()
        EmailAddress.objects.create(user=maeve.user, email="maeve@example.com", verified=True)
        closed(maeve, opal)
        Client().post(reverse("account_reset_password"), {"email": "maeve@example.com"})
        assert not any("password/reset/key" in letter.body for letter in mail.outbox)

    def test_tokens_of_account_and_programs_are_refused(self, opal: Player) -> None:
        maeve, now = member(), timezone.now()
        token, own = tokens.make(maeve, "mine", [Scope.READ], None, now)
        _program, robo = programs.make(maeve, "Robo", now)
        assert tokens.find(own, now)
        assert tokens.find(robo, now)
        closed(maeve, opal)
        assert tokens.find(own, now) is None
        assert tokens.find(robo, now) is None
        assert not tokens.alive(token.pk, now)
        asked = Client().get("/api/me", headers={"Authorization": f"Bearer {own}"})
        assert asked.status_code == 401
        assert Token.objects.count() == 2  # they are the account's again once it is open

    def test_its_browser_cannot_play_as_a_guest(self, opal: Player) -> None:
        maeve = member()
        browser = logged_in(maeve)
        session = browser.session
        session[identity.PLAYER_KEY] = Player.objects.create(name="Before").pk
        session.save()
        closed(maeve, opal)
        people = Player.objects.count()
        refused = browser.post(reverse("play_now"), {"rules": "classic-24"})
        assert refused.status_code == 403
        assert WHY in refused.content.decode()
        assert Player.objects.count() == people
        assert not Seat.objects.filter(player__name="Before").exists()

    def test_after_deletion_its_browser_can_play_as_a_guest(self) -> None:
        maeve = member()
        browser = logged_in(maeve)
        User.objects.filter(player=maeve).delete()
        played = browser.post(reverse("play_now"), {"rules": "classic-24"})
        assert played.status_code == 303
        page = browser.get(played["Location"])
        assert page.status_code == 200

    def test_staff_accounts_can_be_closed(self) -> None:
        opal, olga = operator(), operator("Olga")
        browser = logged_in(olga)
        assert browser.get(reverse("office")).status_code == 200
        closed(olga, opal)
        assert browser.get(reverse("office")).status_code == 404

    def test_old_sessions_stay_ended_after_reopening(self, opal: Player) -> None:
        maeve = member()
        browser = logged_in(maeve)
        made = closed(maeve, opal)
        account_actions.lift(opal.user, made, "Sorry.", timezone.now())
        assert "maeve@example.com" not in browser.get(reverse("you")).content.decode()
        again = Client().post(
            reverse("account_login"), {"login": "maeve@example.com", "password": PASSWORD}
        )
        assert again.status_code == 302

    def test_other_requests_need_no_additional_query(self, django_assert_num_queries: Any) -> None:
        for who, asked in ((member(), 3), (player("Ben"), 2)):  # session, account, player
            session = SessionStore(logged_in(who).cookies[settings.SESSION_COOKIE_NAME].value)
            asker: Any = SimpleNamespace(session=session)
            with django_assert_num_queries(asked):
                asker.user = get_user(asker)
                assert identity.player_of(asker) == who


class TestTime:
    def test_a_temporary_ban_ends_by_itself(self, opal: Player) -> None:
        maeve = member()
        made = closed(maeve, opal, timezone.now() + WEEK)
        keep_bans()
        assert not User.objects.get(player=maeve).is_active
        Ban.objects.filter(pk=made.pk).update(until=timezone.now())
        keep_bans()
        keep_bans()  # as another worker may at the same time
        assert User.objects.get(player=maeve).is_active
        act = OperatorAct.objects.get(what="lift_ban")
        assert act.by_name == "the clock"
        assert act.undoes == OperatorAct.objects.get(what="ban")

    def test_only_one_ban_at_a_time(self, opal: Player) -> None:
        maeve = member()
        closed(maeve, opal)
        with pytest.raises(RefusedError) as refused:
            closed(maeve, opal)
        assert refused.value.code == "banned"
        assert OperatorAct.objects.count() == 1

    def test_only_the_notice_of_closure_is_mailed(self, opal: Player) -> None:
        maeve = member()
        letters.write("news", [maeve], "News", "account_opened")
        made = closed(maeve, opal)
        letters.send_due()
        assert [letter.subject for letter in mail.outbox] == ["Bower: Your account is closed"]
        assert WHY in mail.outbox[0].body
        account_actions.lift(opal.user, made, "Sorry.", timezone.now())
        letters.send_due()
        assert [letter.subject for letter in mail.outbox[1:]] == [
            "Bower: Your account is open again"
        ]
        assert not Letter.objects.filter(sent=None).exists()


class TestSeatsAndEntries:
    def test_a_house_player_takes_over_in_a_running_game(
        self, opal: Player, django_capture_on_commit_callbacks: Any
    ) -> None:
        maeve, _, *others = member(), *cast()
        at = table(maeve, *others)
        with django_capture_on_commit_callbacks(execute=True):
            made = closed(maeve, opal)
        seat = at.seats.get(position=0)
        assert seat.player
        assert seat.player.kind == Player.Kind.HOUSE
        assert Proposal.objects.filter(kind=Proposal.Kind.LEAVE, player=maeve).exists()
        made.refresh_from_db()
        assert made.settled

    def test_seats_at_gathering_tables_are_freed(
        self, opal: Player, django_capture_on_commit_callbacks: Any
    ) -> None:
        maeve = member()
        at = seating.make_table(maeve, CLASSIC_24, seat=0)
        with django_capture_on_commit_callbacks(execute=True):
            closed(maeve, opal)
        assert not at.seats.filter(player=maeve).exists()

    def test_its_programs_leave_their_tables(
        self, opal: Player, django_capture_on_commit_callbacks: Any
    ) -> None:
        maeve = member()
        robo, _ = programs.make(maeve, "Robo", timezone.now())
        at = seating.make_table(robo, CLASSIC_24, seat=0)
        with django_capture_on_commit_callbacks(execute=True):
            closed(maeve, opal)
        assert not at.seats.filter(player=robo).exists()

    def test_an_interrupted_closure_is_completed_by_the_task(self, opal: Player) -> None:
        maeve = member()
        at = seating.make_table(maeve, CLASSIC_24, seat=0)
        closed(maeve, opal)  # the process ends before anything else is done
        assert at.seats.filter(player=maeve).exists()
        keep_bans()
        assert not at.seats.filter(player=maeve).exists()
        assert not Ban.objects.filter(settled=False).exists()

    def test_a_failure_does_not_hold_up_other_accounts(
        self, opal: Player, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        maeve, otto = member(), member("Otto")
        at = seating.make_table(otto, CLASSIC_24, seat=0)
        for who in (maeve, otto):
            closed(who, opal)
        leave = leaving.leave_all

        def fails(player: Player, now: Any) -> bool:
            if player == maeve:
                raise RuntimeError("the disk is full")
            return leave(player, now)

        monkeypatch.setattr(leaving, "leave_all", fails)
        keep_bans()
        assert not at.seats.filter(player=otto).exists()
        assert [one.user for one in Ban.objects.filter(settled=False)] == [maeve.user]

    def test_their_partner_invitations_are_declined(self, opal: Player) -> None:
        starts = timezone.now() + WEEK
        event = build.event(
            format="swiss", starts=starts, registration_opens=NOON - WEEK,
            registration_closes=starts,
        )  # fmt: skip
        maeve, ben = member(), member("Ben")
        for one in (maeve, ben):
            build.joined(event.club, one)
        entry = partners.invite(event, ben, maeve, timezone.now())
        closed(maeve, opal)
        keep_bans()
        entry.refresh_from_db()
        assert (entry.state, entry.invited) == (Entry.State.SEEKING, None)

    def test_an_entry_is_withdrawn_before_the_start(self, opal: Player) -> None:
        maeve = member()
        event = build.event(starts=timezone.now() + WEEK, registration_opens=NOON - WEEK)
        [entry] = build.let_in(event, [maeve])
        closed(maeve, opal)
        keep_bans()
        entry.refresh_from_db()
        assert entry.state == Entry.State.WITHDRAWN

    def test_a_single_entry_is_withdrawn_from_a_running_event(self, opal: Player) -> None:
        maeve = member()
        event = build.event()
        entries = build.let_in(event, [maeve, *(member(f"P{n}") for n in range(7))])
        build.begin(event)
        closed(maeve, opal)
        keep_bans()
        entries[0].refresh_from_db()
        assert entries[0].state == Entry.State.WITHDRAWN
        assert Seat.objects.get(player=maeve).stand_in

    def test_directors_are_notified_about_partnerships(self, opal: Player) -> None:
        club = build.club()
        ada, maeve = build.director(club), member()
        event = build.event(club, format="swiss", rounds=2)
        build.let_in(event, [maeve, *(member(f"P{n}") for n in range(7))])
        build.begin(event)
        closed(maeve, opal)
        keep_bans()
        keep_bans()
        assert not Entry.objects.filter(state=Entry.State.WITHDRAWN).exists()
        assert Notice.objects.filter(event=event, text__contains="Maeve").count() == 1
        assert Letter.objects.get(user=ada.user).subject == f"Maeve cannot continue in {event}"


class TestPermissions:
    def test_operators_cannot_close_their_own_account(self) -> None:
        for opal in (operator(), operator("Ruth", superuser=True)):
            answer = post(opal, "office_ban", opal.user_id, long="7", reason=WHY)
            assert answer.status_code == 403
        assert not Ban.objects.exists()

    def test_only_a_superuser_can_close_a_superusers_account(self) -> None:
        opal, ruth = operator(), operator("Ruth", superuser=True)
        assert post(opal, "office_ban", ruth.user_id, long="7", reason=WHY).status_code == 403
        rosa = operator("Rosa", superuser=True)
        assert post(rosa, "office_ban", ruth.user_id, long="7", reason=WHY).status_code == 303
        assert post(opal, "office_lift", ruth.user_id, reason="No.").status_code == 403
        assert not User.objects.get(player=ruth).is_active

    def test_members_get_a_404(self) -> None:
        maeve, otto = member(), member("Otto")
        assert post(otto, "office_ban", maeve.user_id, long="7", reason=WHY).status_code == 404
        assert post(Client(), "office_ban", maeve.user_id, long="7", reason=WHY).status_code == 404
        assert not Ban.objects.exists()

    def test_a_reason_and_a_future_time_are_required(self, opal: Player) -> None:
        maeve = member()
        assert post(opal, "office_ban", maeve.user_id, long="7", reason=" ").status_code == 422
        assert post(opal, "office_ban", maeve.user_id, long="-1", reason=WHY).status_code == 422
        with pytest.raises(RefusedError) as refused:
            closed(maeve, opal, timezone.now() - WEEK)
        assert refused.value.code == "until"
        assert not Ban.objects.exists()


def test_the_notice_states_the_end_of_the_ban(opal: Player) -> None:
    made = closed(member(), opal, NOON.replace(year=2030))
    assert bans.in_words(made) == f"This account is closed until 7 March 2030, 12:00 UTC: {WHY}"


@pytest.mark.django_db(transaction=True)
def test_simultaneous_reopening_and_deletion_do_not_deadlock() -> None:
    """Both lock the account first: neither waits for what the other holds."""
    opal = operator()
    assert opal.user
    for number in range(4):
        maeve = member(f"Maeve {number}")
        made, user, by = closed(maeve, opal), maeve.user, opal.user
        assert user

        def lift(made: Ban = made) -> None:
            try:
                bans.lift(made, timezone.now())
            finally:
                connection.close()

        def delete(user: User = user, by: User = by) -> None:
            try:
                deletion.delete_account(user, by, timezone.now())
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as threads:
            for done in [threads.submit(lift), threads.submit(delete)]:
                done.result(timeout=30)
        assert not User.objects.filter(pk=user.pk).exists()
        assert Player.objects.get(pk=maeve.pk).former
