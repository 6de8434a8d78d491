"""Deleting accounts: scheduled, cancelled, and done without leaving a name."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from importlib import import_module
from smtplib import SMTPServerDisconnected
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection, connections
from django.test import Client
from django.utils import timezone
from structlog.testing import capture_logs

from euchre_site.own_data import deletion, sessions, withdrawal
from games.engine.rules import CLASSIC_24
from games.live import state
from games.models import (
    Deletion,
    Farewell,
    Game,
    GameSeat,
    Player,
    Seat,
    SeatRequest,
    Table,
    Trace,
    User,
)
from games.people import bans, identity, names, traces
from games.people.traces import Origin
from games.programs import tokens
from games.records.game_files import record_file
from games.seats import seating
from games.seats.seating import SeatingError
from games.sockets import hub
from tests.factories import Clock, logged_in, member, play_out, player, table
from tests.site.own_data import full_account
from tests.site.own_data.taken_back import taken_back
from tests.tournaments import build
from tests.volume import volume
from tournaments.acts import undoing
from tournaments.attendance import claiming, newcomers, same_person
from tournaments.clubs import members
from tournaments.entering import entering, partners
from tournaments.event_page import exports
from tournaments.models import (
    Act,
    Correction,
    Entry,
    Event,
    Letter,
    Membership,
    Pairing,
    Rating,
    RatingHold,
    ScoreLine,
    Webhook,
)
from tournaments.outbox import letters
from tournaments.ratings import rating_games
from tournaments.refusals import RefusedError

pytestmark = [pytest.mark.django_db, pytest.mark.db]
Role = Membership.Role
WORKERS = 4


def account(of: Player) -> User:
    assert of.user is not None
    return of.user


@pytest.fixture(autouse=True)
def _quiet_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)


class Unreachable(EmailBackend):
    """A mail server that cannot be reached."""

    def send_messages(self, messages: Any) -> int:
        raise SMTPServerDisconnected


# What is left ---------------------------------------------------------------------------------


def test_no_name_or_address_is_left_in_any_text() -> None:
    life = full_account.live()
    texts = full_account.stored_texts()
    assert sum(full_account.NAME in text for text in texts.values()) > 8
    assert sum(full_account.BEFORE in text for text in texts.values()) > 1
    assert sum(full_account.ADDRESS in text for text in texts.values()) > 1
    now = timezone.now()
    deletion.delete_account(account(life.maeve), None, now)
    assert Farewell.objects.get().address == full_account.ADDRESS
    deletion.send_farewells(Clock(now))
    assert mail.outbox[-1].to == [full_account.ADDRESS]
    names = (full_account.NAME, full_account.BEFORE, full_account.ADDRESS)
    left = {
        where: text
        for where, text in full_account.stored_texts().items()
        if any(name in text for name in names)
    }
    # A street in a letter about somebody else's event is not a name meant.
    assert [text for text in left.values() if "Street is closed" not in text] == []


def test_games_and_ratings_are_kept_anonymously() -> None:
    life = full_account.live()
    Player.objects.filter(pk=life.maeve.pk).update(named_watching=True)
    rated = Rating.objects.get(player=life.maeve)
    seats = list(GameSeat.objects.values_list("game", "position", "player"))
    deletion.delete_account(account(life.maeve), None, timezone.now())
    gone = Player.objects.get(pk=life.maeve.pk)
    assert (gone.name, gone.former, gone.user) == (f"Former player {gone.pk}", True, None)
    assert not gone.guest
    assert not gone.named_watching
    assert list(GameSeat.objects.values_list("game", "position", "player")) == seats
    again = Rating.objects.get(player=gone)
    assert (again.mu, again.sigma, again.games) == (rated.mu, rated.sigma, rated.games)
    assert rating_games.inconsistent_pools() == []
    record = record_file(life.game).decode()
    assert gone.name in record
    assert full_account.NAME not in record
    standings = exports.as_json(Event.objects.get(pk=life.past.pk), "standings")
    assert gone.name in standings


def test_webhook_messages_keep_other_names() -> None:
    life = full_account.live()
    body = Webhook.objects.get().deliveries.get().body
    assert '"name": "Ben"' in body
    deletion.delete_account(account(life.maeve), None, timezone.now())
    after = Webhook.objects.get().deliveries.get().body
    assert after == body.replace(full_account.NAME, f"Former player {life.maeve.pk}")


def test_open_event_pages_are_updated() -> None:
    life = full_account.live()
    before = Event.objects.get(pk=life.past.pk).version
    deletion.delete_account(account(life.maeve), None, timezone.now())
    assert Event.objects.get(pk=life.past.pk).version > before


def test_parts_of_words_are_not_replaced() -> None:
    club = build.club()
    director, will = build.director(club), member("Will")
    event = build.event(club)
    build.let_in(event, [will])
    for text in ("Will Will play? Willow will.", "Nobody."):
        Event.objects.get(pk=event.pk).notices.create(by=director, text=text)
    deletion.delete_account(account(will), None, timezone.now())
    called = f"Former player {will.pk}"
    assert {one.text for one in event.notices.all()} == {
        f"{called} {called} play? Willow will.", "Nobody.",
        f"{called}: withdrawn before the start.",
    }  # fmt: skip


def test_an_earlier_owners_name_is_not_replaced() -> None:
    """Iris was called Maeve before Ben was: earlier texts are not about Ben."""
    club = build.club()
    iris, other = member("Maeve"), member("Ben")
    event = build.event(club)
    build.let_in(event, [iris, other])
    old = timezone.now() - timedelta(days=200)
    event.notices.create(text="Maeve: checked in.", at=old)
    identity.rename(iris, "Iris")
    Player.objects.filter(pk=iris.pk).update(created=timezone.now() - timedelta(days=300))
    identity.rename(other, "Maeve")
    deletion.delete_account(account(other), None, timezone.now())
    assert event.notices.get(at=old).text == "Maeve: checked in."
    deletion.delete_account(account(iris), None, timezone.now())
    assert event.notices.get(at=old).text == f"Former player {iris.pk}: checked in."


def texts_with(name: str) -> list[str]:
    return [text for text in full_account.stored_texts().values() if name in text]


@pytest.mark.parametrize("name", ["Maeve", 'Zoë "Q"'])
def test_no_name_is_left_in_rows_that_an_act_keeps_and_its_undo_still_works(name: str) -> None:
    maeve, olga = member("Maeve"), member("Olga")
    Player.objects.filter(pk=maeve.pk).update(name=name)
    maeve.refresh_from_db()
    act = taken_back(maeve, olga)
    assert len(texts_with(name)) > 1
    deletion.delete_account(account(maeve), None, timezone.now())
    assert not texts_with(name)
    undoing.undo(act, olga, timezone.now())
    gone = f"Former player {maeve.pk}"
    assert Correction.objects.get().reason == f"{gone} misread."
    assert ScoreLine.objects.get().said == f"{gone} asks."
    hold = RatingHold.objects.get()
    assert (hold.found, hold.words) == (f"Asked by {gone}", f"So says {gone}")
    assert not texts_with(name)


def test_an_earlier_owners_name_is_not_replaced_in_rows_that_an_act_keeps() -> None:
    """Iris was called Maeve before Ben was: earlier texts are not about Ben."""
    iris, other, olga = member("Maeve"), member("Ben"), member("Olga")
    act = taken_back(iris, olga)
    Act.objects.filter(pk=act.pk).update(by=other)
    identity.rename(iris, "Iris")
    for past in iris.past_names.all():
        later = past.until + timedelta(days=2)
        Player.objects.filter(pk=other.pk).update(name="Maeve", created=later)
    other.refresh_from_db()
    deletion.delete_account(account(other), None, timezone.now())
    act.refresh_from_db()
    assert "Maeve misread." in str(act.kept)


def test_a_name_as_a_walk_in_goes_with_the_account_that_claimed_it() -> None:
    olga, maeve = member("Olga"), member("Maeve")
    build.joined(build.club(), olga, Membership.Role.DIRECTOR)
    event = build.event(olga.memberships.get().club, place=Event.Place.ROOM)
    newcomers.enter(event, ["Mae Ni"], olga, timezone.now(), reason="Mae Ni asked.")
    claiming.claim(event.walk_ins.get(), maeve, timezone.now())
    assert len(texts_with("Mae Ni")) > 1
    deletion.delete_account(account(maeve), None, timezone.now())
    assert not texts_with("Mae Ni")


def test_the_names_of_joined_lines_go_with_the_account_that_claimed_them() -> None:
    olga, maeve = member("Olga"), member("Maeve")
    build.joined(build.club(), olga, Membership.Role.DIRECTOR)
    club = olga.memberships.get().club
    for name in ("Mae Ni", "M. Nikell"):
        event = build.event(club, place=Event.Place.ROOM)
        newcomers.enter(event, [name], olga, timezone.now(), reason=f"{name} asked.")
    row, other = (club.listed_names.get(name=name) for name in ("Mae Ni", "M. Nikell"))
    same_person.join(row, other)
    claiming.claim_line(row, maeve, timezone.now())
    assert len(texts_with("M. Nikell")) > 1
    deletion.delete_account(account(maeve), None, timezone.now())
    assert not texts_with("M. Nikell")
    assert not texts_with("Mae Ni")


def test_rows_that_older_acts_kept_go_as_nothing_can_restore_them() -> None:
    event = build.event(build.club())
    kept = {"seats": {"1": 2}, "rows": [{"model": "tournaments.correction", "reason": "Maeve."}]}
    act = event.acts.create(kind=Act.Kind.TAKE_BACK, by=member("Olga"), kept=kept)
    migration = import_module("tournaments.migrations.0011_no_rows_of_older_acts")
    migration.remove_rows(apps, SimpleNamespace(connection=connection))
    act.refresh_from_db()
    assert act.kept == {"seats": {"1": 2}}


# Asking and taking back -----------------------------------------------------------------------


def test_deletion_is_scheduled_once_and_done_after_seven_days() -> None:
    maeve, now = member(), timezone.now()
    asked = deletion.schedule(account(maeve), now)
    assert asked is not None
    assert deletion.schedule(account(maeve), now + timedelta(days=1)) == asked
    assert asked.due == now + timedelta(days=7)
    letters.send_due(Clock(now + timedelta(minutes=1)))
    assert "will be deleted" in mail.outbox[0].subject
    assert "/you/delete/" in mail.outbox[0].body
    assert deletion.sweep(asked.due - timedelta(seconds=1)) == 0
    assert deletion.sweep(asked.due) == 1
    assert deletion.sweep(asked.due) == 0
    assert not User.objects.exists()
    assert deletion.send_farewells(Clock(asked.due)) == 1
    assert mail.outbox[-1].subject == "Bower: Your account is deleted"
    assert not Farewell.objects.exists()


def test_a_cancelled_deletion_is_not_done() -> None:
    maeve, now = member(), timezone.now()
    deletion.schedule(account(maeve), now)
    assert deletion.cancel(account(maeve))
    assert not deletion.cancel(account(maeve))
    assert deletion.sweep(now + timedelta(days=8)) == 0
    maeve.refresh_from_db()
    assert (maeve.name, maeve.user) == ("Maeve", account(maeve))
    letters.send_due(Clock(now + timedelta(minutes=1)))
    assert [sent.subject for sent in mail.outbox] == ["Bower: Your account is kept"]
    again = deletion.schedule(account(maeve), now + timedelta(days=9))
    assert again is not None
    assert again.due == now + timedelta(days=16)


def test_without_a_delay_deletion_is_immediate(settings: Any) -> None:
    settings.DELETION_DAYS = 0
    assert deletion.schedule(account(member()), timezone.now()) is None
    assert not User.objects.exists()


def test_an_account_is_deleted_only_once() -> None:
    maeve, now = member(), timezone.now()
    user = account(maeve)
    assert deletion.delete_account(user, None, now)
    assert not deletion.delete_account(user, None, now)
    assert deletion.schedule(user, now) is None
    assert not deletion.cancel(user)
    assert Farewell.objects.count() == 1


def test_deletion_by_an_operator_is_logged_without_names(
    django_capture_on_commit_callbacks: Any,
) -> None:
    maeve, staff = member(), member("Ada")
    with capture_logs() as lines, django_capture_on_commit_callbacks(execute=True):
        deletion.delete_account(account(maeve), account(staff), timezone.now())
    assert {"event": "account deleted", "log_level": "info", "player": maeve.pk,
            "by": staff.pk} in lines  # fmt: skip
    assert "Maeve" not in str(lines)
    assert "example.com" not in str(lines)


def test_an_unused_account_leaves_nothing() -> None:
    user = User.objects.create_user("otto@example.com", "a quiet bower")
    assert deletion.delete_account(user, None, timezone.now())
    assert not Player.objects.exists()


def test_sessions_end_everywhere_and_are_removed() -> None:
    maeve, ben = member(), member("Ben")
    phone, desk, others = logged_in(maeve), logged_in(maeve), logged_in(ben)
    deletion.delete_account(account(maeve), None, timezone.now())
    for one in (phone, desk):
        assert "You play as" not in one.get("/you/").text
        assert "Settings" in one.get("/you/").text
    assert sessions.forget_gone() == 2
    assert "ben@example.com" in others.get("/you/").text


# What stands in the way -----------------------------------------------------------------------


def test_the_only_owner_of_a_club_hands_it_over_first() -> None:
    club, maeve, ben = build.club(), member(), member("Ben")
    build.joined(club, maeve, Role.OWNER)
    build.joined(club, ben)
    with pytest.raises(RefusedError, match="only owner of The Old Mill") as refused:
        deletion.schedule(account(maeve), timezone.now())
    assert refused.value.code == "last owner"
    with pytest.raises(RefusedError):
        deletion.delete_account(account(maeve), account(ben), timezone.now())
    assert club.memberships.count() == 2, "nothing is half done"
    members.hand_over(club, maeve, ben.pk, timezone.now())
    assert deletion.delete_account(account(maeve), None, timezone.now())
    assert [one.player for one in club.memberships.all()] == [ben]


def test_a_club_without_other_members_is_no_obstacle() -> None:
    club, maeve = build.club(), member()
    build.joined(club, maeve, Role.OWNER)
    assert deletion.delete_account(account(maeve), None, timezone.now())
    assert not club.memberships.exists()


def test_a_later_only_owner_is_notified_once() -> None:
    club, now = build.club(), timezone.now()
    owners = [member(), member("Ben")]
    for one in owners:
        build.joined(club, one, Role.OWNER)
        deletion.schedule(account(one), now)
    build.joined(club, member("Iris"))
    later = now + timedelta(days=7)
    with capture_logs() as lines:
        assert [deletion.sweep(later) for _ in range(3)] == [1, 0, 0]
    assert [line["event"] for line in lines].count("account waits to be deleted") == 1
    waits = Deletion.objects.get()
    assert "only owner" in waits.hindered
    assert "not deleted yet" in Letter.objects.latest("pk").subject
    heir = club.memberships.get(player__name="Iris")
    members.set_role(club, heir.player_id, Role.OWNER)
    assert deletion.sweep(later) == 1


def test_other_directors_are_notified_of_open_events() -> None:
    club, ben = build.club(), member("Ben")
    ada = build.director(club)
    build.joined(club, ben, Role.OWNER)
    event = build.event(club, name="Tonight")
    build.event(club, name="Long ago", state=Event.State.FINISHED)
    deletion.delete_account(account(ada), None, timezone.now())
    letter = Letter.objects.get()
    assert letter.user == ben.user
    assert f"Tonight: http://localhost:8000/events/{event.pk}/manage/" in letter.text
    assert "Long ago" not in letter.text
    assert "Ada" not in letter.text


def test_a_failure_does_not_hold_up_other_deletions(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    for name in ("Maeve", "Ben"):
        deletion.schedule(account(member(name)), now)
    whole = withdrawal.leave_clubs

    def broken(who: Player) -> None:
        if who.name == "Maeve":
            raise ValueError("broken")
        whole(who)

    monkeypatch.setattr(withdrawal, "leave_clubs", broken)
    with capture_logs() as lines:
        assert deletion.sweep(now + timedelta(days=7)) == 1
    assert [line["event"] for line in lines if line["log_level"] == "error"] == [
        "account not deleted"
    ]
    assert Player.objects.filter(name="Maeve").exists()


def test_a_farewell_mail_is_retried_and_then_given_up(
    settings: Any,
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Unreachable"
    now = timezone.now()
    deletion.delete_account(account(member()), None, now)
    for _ in range(10):
        deletion.send_farewells(Clock(now))
        now += timedelta(days=1)
    assert not Farewell.objects.exists()


# Events ---------------------------------------------------------------------------------------


def test_a_place_in_an_upcoming_event_goes_to_the_waiting_list() -> None:
    life = full_account.live()
    assert full_account.seekers(life.coming) == ["entered"] * 4 + ["waiting"]
    deletion.delete_account(account(life.maeve), None, timezone.now())
    assert full_account.seekers(life.coming) == ["withdrawn", *["entered"] * 4]
    assert Letter.objects.filter(subject="You have a place: Next").count() == 1


def test_partner_invitations_are_declined() -> None:
    club, now = build.club(), timezone.now()
    maeve, ben = member(), member("Ben")
    for one in (maeve, ben):
        build.joined(club, one)
    event = build.event(
        club, format="swiss", rounds=1,
        starts=now + timedelta(days=1), registration_closes=now + timedelta(days=1),
    )  # fmt: skip
    partners.invite(event, ben, maeve, now)
    deletion.delete_account(account(maeve), None, now)
    entry = Entry.objects.get()
    assert (entry.state, entry.invited) == (Entry.State.SEEKING, None)
    assert "Maeve" not in Letter.objects.get(user=ben.user).subject


def test_a_running_event_goes_on_without_them() -> None:
    people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    event = build.event(rounds=3)
    build.let_in(event, people)
    build.begin(event)
    build.arrive(event)
    build.step(event, build.NOON)
    deletion.delete_account(account(people[0]), None, build.NOON)
    assert event.entries.filter(state=Entry.State.WITHDRAWN).count() == 1
    pairing = Pairing.objects.get(round__event=event)
    assert pairing.state == Pairing.State.PLAYING, "a house player plays on"
    assert Seat.objects.get(table=pairing.table_id, player=people[0]).stand_in
    build.win(pairing, 0)
    build.step(event, build.NOON)
    assert event.played_rounds.count() == 1 or event.state != Event.State.RUNNING


def test_a_knock_out_match_is_lost() -> None:
    event = build.drawn_match(build.club(), [member("Maeve"), member("Ben")])
    build.arrive(event)
    build.step(event, build.NOON)
    deletion.delete_account(account(Player.objects.get(name="Maeve")), None, build.NOON)
    match = Pairing.objects.get(round__event=event)
    assert match.how == Pairing.How.FORFEIT
    build.step(event, build.NOON)
    assert event.state == Event.State.FINISHED


# Tables ---------------------------------------------------------------------------------------


def test_a_running_game_is_left_for_good_and_still_counts() -> None:
    maeve, ben = member(), player("Ben")
    at = table(maeve, ben, house_seats=(2, 3))
    deletion.delete_account(account(maeve), None, timezone.now())
    seat = Seat.objects.select_related("player").get(table=at, position=0)
    assert seat.player is not None
    assert seat.player.kind == Player.Kind.HOUSE
    assert GameSeat.objects.get(game__table=at, position=0).player == maeve
    game = play_out(at)
    assert game.state == Game.State.OVER
    shown = state.read(at.pk)
    assert f"Former player {maeve.pk}" in [one.name for one in shown.proposals + shown.seat_changes]


def test_a_deleted_players_browser_sees_no_second_hand() -> None:
    """A player who deletes the account and comes back as a guest is recognised."""
    maeve, ben = member(), player("Ben")
    at = table(maeve, ben, house_seats=(2, 3))
    traces.record(at, maeve, Origin("browser", "192.0.2.7"))
    deletion.delete_account(account(maeve), None, timezone.now())
    assert Trace.objects.filter(table=at, player=maeve).count() == 2
    guest = player("Otto")
    for where in (Origin("browser", "192.0.2.8"), Origin("another", "192.0.2.7")):
        with pytest.raises(SeatingError) as refused:
            seating.sit(at, guest, 2, where=where, by_link=True)
        assert refused.value.code == "another hand"


def test_seats_between_games_are_freed() -> None:
    maeve, ben = member(), player("Ben")
    waiting = seating.make_table(maeve, CLASSIC_24, seat=0)
    over = table(ben, maeve, house_seats=(2, 3))
    play_out(over)
    deletion.delete_account(account(maeve), None, timezone.now())
    waiting.refresh_from_db()
    assert waiting.state == Table.State.CLOSED
    assert not Seat.objects.filter(player=maeve).exists()


def test_deletion_waits_for_a_shuffle() -> None:
    maeve, ben = member(), player("Ben")
    at = table(maeve, ben, house_seats=(2, 3))
    Table.objects.filter(pk=at.pk).update(state=Table.State.SHUFFLING)
    with pytest.raises(RefusedError, match="Try again in a few seconds"):
        deletion.delete_account(account(maeve), None, timezone.now())
    asked = Deletion.objects.create(user=account(maeve), due=timezone.now())
    assert deletion.sweep(timezone.now()) == 0
    asked.refresh_from_db()
    assert asked.hindered == ""
    Table.objects.filter(pk=at.pk).update(state=Table.State.PLAYING)
    assert deletion.sweep(timezone.now()) == 1


def test_programs_are_anonymised_with_their_owner() -> None:
    life = full_account.live()
    program = life.maeve.programs.get()
    secret = tokens.make(program, "robot", [], None, timezone.now())[1]
    deletion.delete_account(account(life.maeve), None, timezone.now())
    assert tokens.find(secret, timezone.now()) is None
    program.refresh_from_db()
    assert (program.name, program.former) == (f"Former program {program.pk}", True)
    assert not life.maeve.tokens.exists()


# Names ----------------------------------------------------------------------------------------


def test_a_name_is_reserved_for_ninety_days(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    deletion.delete_account(account(member()), None, now)
    for like in ("Maeve", "maeve", "MAEVE", "Mаeve"):  # noqa: RUF001 - the last in part Cyrillic
        with pytest.raises(ValidationError):
            identity.free_name(like)
    assert identity.free_name("Maeve B") == "Maeve B"
    names.forget_held(now + timedelta(days=89))
    assert not names.free("Maeve")
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(days=91))
    assert names.free("Maeve")


def test_names_of_former_players_cannot_be_taken() -> None:
    for like in ("Former player", "Former Player 12", "former program 3"):
        assert not names.free(like)


# Guests ---------------------------------------------------------------------------------------


def test_a_guest_is_deleted_at_once() -> None:
    guest = player("Otto")
    at = table(guest, house_seats=(1, 2, 3))
    SeatRequest.objects.create(table=table(player("Ben")), player=guest, position=1)
    browser = logged_in(guest)
    assert "Otto" in browser.get("/you/").text
    assert deletion.forget_guest(guest, timezone.now())
    assert not deletion.forget_guest(guest, timezone.now())
    assert "Otto" not in browser.get("/you/").text
    guest.refresh_from_db()
    assert guest.name == f"Former player {guest.pk}"
    assert names.free("Otto"), "a guest does not own a name"
    assert Seat.objects.get(table=at, position=0).player != guest


def test_a_deleted_guests_session_signs_up_as_a_new_player() -> None:
    guest = player("Otto")
    browser = logged_in(guest)
    deletion.forget_guest(guest, timezone.now())
    fields = {"name": "Otto", "email": "otto@example.org", "password1": "old mill thursday"}
    browser.post("/accounts/signup/", fields)
    assert User.objects.get().player.pk != guest.pk


def test_an_account_is_not_deleted_as_a_guest() -> None:
    maeve = member()
    assert not deletion.forget_guest(maeve, timezone.now())
    assert Player.objects.get().user is not None


# At once --------------------------------------------------------------------------------------


def crowded(number: int, now: datetime) -> tuple[list[Player], list[Event]]:
    """Make members of one club who have entered the same events and sit at the same tables."""
    club, ben = build.club(), member("Ben")
    build.joined(club, ben, Role.OWNER)
    people = [member(f"Guest{one}er") for one in range(number)]
    coming = [
        build.event(
            club,
            name=f"Next {one}",
            capacity=number,
            created_by=ben,
            starts=now + timedelta(days=1),
            registration_closes=now + timedelta(days=1),
        )
        for one in range(2)
    ]
    late = [member(f"Late {one}") for one in range(3)]
    for one in people:
        build.joined(club, one)
    for event in coming:
        build.let_in(event, people)
        for one in late:
            entering.register(event, one, now)
    for four in range(0, 12, 4):
        table(*people[four : four + 4])
    return people, coming


@pytest.mark.django_db(transaction=True)
def test_many_accounts_are_deleted_concurrently() -> None:
    """Each is deleted once and completely, by any of several workers."""
    number, now = volume(20, 20, 60), timezone.now()
    people, coming = crowded(number, now)
    for one in people:
        deletion.schedule(account(one), now)
    gate = threading.Barrier(WORKERS)

    def go(_worker: int) -> int:
        gate.wait()
        try:
            return sum(deletion.sweep(now + timedelta(days=7)) for _ in range(10))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(WORKERS) as workers:
        assert sum(workers.map(go, range(WORKERS))) == number
    assert Farewell.objects.count() == number
    assert Player.objects.filter(former=True).count() == number
    for event in coming:
        assert event.entries.filter(state=Entry.State.WITHDRAWN).count() == number
        assert event.entries.filter(state=Entry.State.ENTERED).count() == 3
    assert not any("Guest1er" in text for text in full_account.stored_texts().values())


def test_a_former_players_page_says_so(client: Client) -> None:
    maeve = member()
    deletion.delete_account(account(maeve), None, timezone.now())
    page = client.get(f"/players/{maeve.pk}/").text
    assert "has left the site" in page
    assert "Maeve" not in page


def test_a_reserved_tables_shuffle_does_not_block_deletion() -> None:
    maeve = member()
    at = seating.make_table(player("Ben"), CLASSIC_24, seat=0)
    seating.sit(at, maeve, 1)
    deletion.delete_account(account(maeve), None, timezone.now())
    assert Seat.objects.get(table=at, position=1).player is None
    for position in (1, 2, 3):
        seating.sit(at, player(f"{position}"), position)
    at.refresh_from_db()
    assert at.state in (Table.State.PLAYING, Table.State.SHUFFLING)


def test_a_closed_account_is_not_deleted() -> None:
    maeve, now = member(), timezone.now()
    deletion.schedule(account(maeve), now)
    ban = bans.ban(account(maeve), "Insults.", None, (0, "Opal"), now)
    assert deletion.sweep(now + timedelta(days=8)) == 0
    assert User.objects.filter(player=maeve).exists()
    bans.lift(ban, now)
    assert deletion.sweep(now + timedelta(days=8)) == 1


def test_a_closed_club_is_no_obstacle() -> None:
    maeve, club = member(), build.club()
    build.joined(club, maeve, Role.OWNER)
    build.joined(club, member("Ben"), Role.MEMBER)
    club.closed = timezone.now()
    club.save()
    assert deletion.delete_account(account(maeve), None, timezone.now())
