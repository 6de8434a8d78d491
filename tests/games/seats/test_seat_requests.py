"""Seats in a running game: asked for, given by those who play, and never a second hand."""

import re
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import Client
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.live import state
from games.models import Player, SeatRequest, Table, Trace
from games.models.seat_requests import OPEN_FOR
from games.models.tables import BEGUN, LONG_AGO
from games.people import traces
from games.people.identity import PLAYER_KEY
from games.people.traces import Origin
from games.picture import viewing
from games.play import play
from games.seats import closing, seat_requests, seating
from games.seats.seat_requests import MAX_AT_TABLE, MAX_PER_ADDRESS
from games.seats.seating import SeatingError
from games.sockets import hub
from tests.factories import PASSWORD, cast, finish, logged_in, member, player, table
from tests.games.api_program import program
from tests.tabs import new_tab

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 3, 7, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOME, ELSEWHERE = Origin("session-1", "192.0.2.1"), Origin("session-2", "192.0.2.2")


def game(*, seen_from: Origin | None = HOME) -> tuple[Table, Player]:
    """A table where Maeve plays against the house, seeing the cards from `seen_from`."""
    maeve = member("Maeve")
    at = seating.play_now(maeve, CLASSIC_24)
    if seen_from is not None:
        traces.record(at, maeve, seen_from)
    return at, maeve


def ask(at: Table, who: Player, seat: int | None = 0, where: Origin = ELSEWHERE) -> SeatRequest:
    return seat_requests.ask(at, who, seat, where, NOW)


def refused(code: str) -> pytest.RaisesExc[SeatingError]:
    return pytest.RaisesExc(SeatingError, check=lambda error: error.code == code)


def sitter(at: Table, position: int) -> str:
    who = at.seats.select_related("player").get(position=position).player
    return who.name if who else ""


class TestSittingDown:
    def test_a_stranger_cannot_sit_down_in_a_running_game(self) -> None:
        at, _ = game()
        with refused("ask"):
            seating.sit(at, player("Otto"), 0, where=ELSEWHERE)
        assert not at.seats.filter(player__name="Otto").exists()

    def test_a_stranger_cannot_sit_down_during_the_shuffle(self) -> None:
        at, _ = game()
        Table.objects.filter(pk=at.pk).update(state=Table.State.SHUFFLING)
        with refused("ask"):
            seating.sit(at, player("Otto"), 0, where=ELSEWHERE)

    def test_an_invited_player_can_sit_down_in_a_running_game(self) -> None:
        at, _ = game()
        seating.sit(at, player("Otto"), 0, where=ELSEWHERE, by_link=True)
        assert sitter(at, 0) == "Otto"

    def test_an_invitation_does_not_show_a_second_hand(self) -> None:
        at, _ = game()
        with refused("another hand"):
            seating.sit(at, player("Otto"), 0, where=HOME, by_link=True)

    def test_between_games_a_house_players_seat_is_free_for_everybody(self) -> None:
        at, _ = game()
        finish(at)
        seating.sit(at, player("Otto"), 0, where=ELSEWHERE)
        assert sitter(at, 0) == "Otto"

    def test_a_player_can_always_take_their_seat_back(self) -> None:
        at, maeve = game()
        at.seats.filter(player=maeve).update(stand_in=True)
        seating.sit(at, maeve, 2, where=ELSEWHERE)
        assert not at.seats.get(position=2).stand_in


NEXT_WINDOW = Origin("session-3", HOME.address)


class TestBeforeAGame:
    """One person with several windows has one seat at a stranger's table."""

    def gathering(self) -> tuple[Table, Player]:
        """A table of Maeve's, at home, where Otto sits as a guest from elsewhere."""
        maeve, otto = member("Maeve"), player("Otto")
        at = seating.make_table(maeve, CLASSIC_24, seat=0)
        traces.record(at, maeve, HOME)
        seating.sit(at, otto, 1, where=ELSEWHERE)
        return at, otto

    def test_a_guest_takes_no_second_seat_from_the_same_address(self) -> None:
        at, _ = self.gathering()
        for seat, where in ((2, Origin("session-4", ELSEWHERE.address)), (3, NEXT_WINDOW)):
            with refused("ask"):
                seating.sit(at, player("Late"), seat, where=where)
        assert at.seats.filter(player=None).count() == 2

    def test_a_guest_takes_no_seat_left_between_games_from_the_same_address(self) -> None:
        at, maeve = game()
        seating.sit(at, player("Iris"), 0, where=ELSEWHERE, by_link=True)
        finish(at)
        seating.stand_up(at, at.seats.get(position=0).player)  # type: ignore[arg-type]
        with refused("ask"):
            seating.sit(at, player("Late"), 0, where=NEXT_WINDOW)
        assert maeve.pk == at.seats.get(position=2).player_id

    def test_a_member_takes_a_seat_beside_a_member_of_the_household(self) -> None:
        at, _ = self.gathering()
        seating.sit(at, member("Ben"), 2, where=NEXT_WINDOW)
        assert sitter(at, 2) == "Ben"

    def test_a_friend_who_came_by_the_link_is_shown_as_of_the_same_address(self) -> None:
        at, otto = self.gathering()
        late = player("Late")
        seating.sit(at, late, 2, where=Origin("session-4", ELSEWHERE.address), by_link=True)
        live = state.read(at.pk)
        assert [one.same_address for one in live.seats] == [False, True, True, False]
        shown = viewing.pictures(live, [None])[None].table.values
        assert {"as": "same_address"} in shown["marks.2"]
        assert {"as": "same_address"} not in shown["marks.0"]
        assert "Same address as another player." in str(shown["company"])
        assert otto.pk == live.seats[1].player_id

    def test_a_player_at_another_address_can_let_them_in(self) -> None:
        at, otto = self.gathering()
        late = player("Late")
        request = ask(at, late, 2, Origin("session-4", ELSEWHERE.address))
        assert state.read(at.pk).requests[0].name == "Late"
        with refused("same person"):
            seat_requests.answer(at, otto, request.pk, let_in=True, now=NOW)
        maeve = Player.objects.get(name="Maeve")
        seat_requests.answer(at, maeve, request.pk, let_in=True, now=NOW)
        assert sitter(at, 2) == "Late"
        assert state.read(at.pk).seats[2].same_address

    def test_accepting_the_last_player_begins_the_game(self) -> None:
        at, _ = self.gathering()
        seating.sit(at, member("Ben"), 2, where=Origin("session-5", "192.0.2.5"))
        request = ask(at, player("Late"), 3, Origin("session-4", ELSEWHERE.address))
        seat_requests.answer(at, Player.objects.get(name="Ben"), request.pk, let_in=True, now=NOW)
        at.refresh_from_db()
        assert at.state in BEGUN

    def test_no_request_if_all_players_share_the_address(self) -> None:
        at = seating.make_table(player("Otto"), CLASSIC_24)
        seating.sit(at, player("Iris"), 0, where=HOME)
        with refused("nobody"):
            ask(at, player("Late"), 1, NEXT_WINDOW)

    def test_no_request_for_a_second_seat_in_one_browser(self) -> None:
        at, _ = self.gathering()
        with refused("another hand"):
            ask(at, player("Late"), 2, ELSEWHERE)

    def test_no_request_if_the_player_may_sit_down(self) -> None:
        at, otto = self.gathering()
        with refused("no need"):
            ask(at, player("Late"), 2, Origin("session-4", "192.0.2.9"))
        with refused("seated"):
            ask(at, otto, 2)
        seating.stand_up(at, otto)
        Table.objects.filter(pk=at.pk).update(state=Table.State.CLOSED)
        with refused("closed"):
            ask(at, otto, 2)

    def test_windows_at_one_address_get_one_seat_and_ask_for_the_next(self) -> None:
        at = seating.make_table(member("Maeve"), CLASSIC_24, seat=0)
        traces.record(at, Player.objects.get(name="Maeve"), ELSEWHERE)
        first, second = Client(), Client()
        assert first.post(f"/tables/{at.pk}/sit", {"seat": "1"}).status_code < 400
        assert second.post(f"/tables/{at.pk}/sit", {"seat": "2"}).status_code < 400
        assert at.seats.filter(player=None).count() == 2
        assert at.requests.get().position == 2


class TestAsking:
    def test_an_accepted_player_takes_over_the_seat(self) -> None:
        at, maeve = game()
        otto = player("Otto")
        request = ask(at, otto, 1)
        assert sitter(at, 1) != "Otto"
        seat_requests.answer(at, maeve, request.pk, let_in=True, now=NOW)
        assert sitter(at, 1) == "Otto"
        assert at.games.get().seats.get(position=1).player == otto
        assert not at.requests.exists()

    def test_a_refused_player_cannot_ask_again_in_this_game(self) -> None:
        at, maeve = game()
        otto = player("Otto")
        seat_requests.answer(at, maeve, ask(at, otto).pk, let_in=False, now=NOW)
        with refused("refused"):
            ask(at, otto)
        seat_requests.withdraw(at, otto)
        with refused("refused"):
            ask(at, otto)
        finish(at)
        seating.again(at, maeve)
        assert ask(at, otto).position == 0

    def test_a_request_for_any_seat_gets_the_first_free_one(self) -> None:
        at, _ = game()
        assert ask(at, player("Otto"), None).position == 0

    def test_a_new_request_replaces_the_old_one(self) -> None:
        at, _ = game()
        otto = player("Otto")
        ask(at, otto, 0)
        ask(at, otto, 3)
        assert [one.position for one in at.requests.all()] == [3]

    def test_a_request_can_be_withdrawn(self) -> None:
        at, maeve = game()
        otto = player("Otto")
        request = ask(at, otto)
        seat_requests.withdraw(at, otto)
        seat_requests.withdraw(at, otto)
        with refused("no request"):
            seat_requests.answer(at, maeve, request.pk, let_in=True, now=NOW)

    def test_a_request_lapses_after_some_minutes(self) -> None:
        at, maeve = game()
        request = ask(at, player("Otto"))
        with refused("no request"):
            seat_requests.answer(at, maeve, request.pk, let_in=True, now=NOW + OPEN_FOR)
        seat_requests.answer(at, maeve, request.pk, let_in=True, now=NOW + OPEN_FOR - MINUTE)

    def test_a_request_lapses_with_the_game(self) -> None:
        at, maeve = game()
        request = ask(at, player("Otto"))
        finish(at)
        with refused("no request"):
            seat_requests.answer(at, maeve, request.pk, let_in=True, now=NOW)

    def test_only_seated_players_can_answer(self) -> None:
        at, _ = game()
        otto = player("Otto")
        request = ask(at, otto)
        for stranger in (otto, player("Iris")):
            with refused("not seated"):
                seat_requests.answer(at, stranger, request.pk, let_in=True, now=NOW)

    def test_a_request_of_another_table_cannot_be_answered(self) -> None:
        at, maeve = game()
        other = seating.play_now(player("Ben"), CLASSIC_24)
        request = ask(other, player("Otto"))
        with refused("no request"):
            seat_requests.answer(at, maeve, request.pk, let_in=True, now=NOW)

    def test_one_of_two_requests_for_a_seat_is_granted(self) -> None:
        at, maeve = game()
        first = ask(at, player("Otto"), 0)
        second = ask(at, player("Iris"), 0, Origin("session-3", "192.0.2.3"))
        seat_requests.answer(at, maeve, first.pk, let_in=True, now=NOW)
        with refused("no request"):
            seat_requests.answer(at, maeve, second.pk, let_in=True, now=NOW)
        assert sitter(at, 0) == "Otto"

    def test_a_persons_seat_cannot_be_requested(self) -> None:
        at = table(*cast())
        with refused("taken"):
            ask(at, player("Otto"), 1)
        with refused("taken"):
            ask(at, player("Otto"), None)

    def test_no_requests_if_only_house_players_sit(self) -> None:
        at, maeve = game()
        at.seats.filter(player=maeve).update(player=None)
        with refused("nobody"):
            ask(at, player("Otto"))

    def test_no_requests_before_and_after_a_game(self) -> None:
        at = table(player("Maeve"))
        with refused("no need"):
            ask(at, player("Otto"))

    def test_no_requests_at_a_reserved_table(self) -> None:
        at, _ = game()
        Table.objects.filter(pk=at.pk).update(reserved=True)
        with refused("reserved"):
            ask(at, player("Otto"))


@pytest.mark.db
class TestManyAtOnce:
    def test_seat_requests_at_one_table_are_limited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(hub, "announce", lambda _table_id: None)
        # A slow machine has some of them wait in vain for a connection to PostgreSQL.
        monkeypatch.setattr("euchre_site.postgresql.base.RETRY_AFTER", 0.0)
        at, _ = game()
        people = Player.objects.bulk_create(Player(name=f"P{n}") for n in range(60))
        asked: list[int] = []
        refusals: set[str] = set()
        together = Barrier(60)

        def one(number: int) -> None:
            together.wait()
            try:
                ask(at, people[number], None, Origin(f"s{number}", f"192.0.2.{number + 10}"))
                asked.append(number)
            except SeatingError as error:
                refusals.add(error.code)
            finally:
                connection.close()

        threads = [Thread(target=one, args=(number,)) for number in range(60)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        connection.close()  # a new one forgets that some could not be had
        assert len(asked) == at.requests.count() == MAX_AT_TABLE
        assert refusals == {"too many ask"}

    def test_requests_per_address_are_limited(self) -> None:
        at, _ = game()
        for number in range(MAX_PER_ADDRESS):
            ask(at, player(f"P{number}"), None, Origin(f"s{number}", "192.0.2.9"))
        with refused("too many ask"):
            ask(at, player("Otto"), None, Origin("s9", "192.0.2.9"))

    def test_a_request_can_be_changed_at_the_limit(self) -> None:
        at, _ = game()
        people = [player(f"P{number}") for number in range(MAX_AT_TABLE)]
        for number, who in enumerate(people):
            ask(at, who, None, Origin(f"s{number}", f"192.0.2.{number + 10}"))
        ask(at, people[0], 3, Origin("s0", "192.0.2.10"))


class TestSecondHands:
    """Nobody sees two hands of one running game, whoever lets them in."""

    def test_no_second_hand_for_a_guest_at_the_same_address(self) -> None:
        at, _ = game()
        with refused("another hand"):
            ask(at, player("Otto"), 0, Origin("session-9", HOME.address))

    def test_no_second_hand_for_a_guest_in_the_same_browser(self) -> None:
        at, _ = game()
        with refused("another hand"):
            ask(at, player("Otto"), 0, Origin(HOME.session, ELSEWHERE.address))

    def test_no_second_hand_for_an_account_at_a_guests_address(self) -> None:
        maeve = player("Maeve")
        at = seating.play_now(maeve, CLASSIC_24)
        traces.record(at, maeve, HOME)
        with refused("another hand"):
            ask(at, member("Otto"), 0, Origin("session-9", HOME.address))

    def test_two_accounts_at_one_address_may_play(self) -> None:
        at, _ = game()
        assert ask(at, member("Otto"), 0, Origin("session-9", HOME.address))

    def test_no_second_hand_for_a_players_program(self) -> None:
        at, maeve = game()
        robo = Player.objects.create(name="Robo", kind=Player.Kind.PROGRAM, owner=maeve)
        with refused("another hand"):
            ask(at, robo, 0, ELSEWHERE)

    def test_no_second_hand_for_the_owner_of_a_program(self) -> None:
        ada = member("Ada")
        robo = Player.objects.create(name="Robo", kind=Player.Kind.PROGRAM, owner=ada)
        other = Player.objects.create(name="Rob", kind=Player.Kind.PROGRAM, owner=ada)
        at = seating.play_now(robo, CLASSIC_24)
        for one in (ada, other):
            with refused("another hand"):
                ask(at, one, 0, ELSEWHERE)

    def test_a_program_at_a_shared_address_does_not_count_as_a_guest(self) -> None:
        ada, robo = member("Ada"), Player(name="Robo", kind=Player.Kind.PROGRAM)
        robo.owner = ada
        robo.save()
        at = seating.play_now(robo, CLASSIC_24)
        traces.record(at, robo, Origin(address=HOME.address))
        assert ask(at, member("Otto"), 0, Origin("session-9", HOME.address))

    def test_second_hands_are_checked_again_when_answering(self) -> None:
        at, maeve = game(seen_from=None)
        request = ask(at, player("Otto"), 0, Origin("session-9", HOME.address))
        traces.record(at, maeve, HOME)
        with refused("another hand"):
            seat_requests.answer(at, maeve, request.pk, let_in=True, now=NOW)

    def test_a_seated_player_cannot_request_another_seat(self) -> None:
        at, maeve = game()
        with refused("seated"):
            ask(at, maeve, 0, ELSEWHERE)

    def test_leaving_before_the_game_does_not_count_as_seeing_a_hand(self) -> None:
        at, maeve = game()
        otto = player("Otto")
        finish(at)
        seating.sit(at, otto, 0)
        traces.record(at, otto, ELSEWHERE)
        seating.stand_up(at, otto)
        seating.again(at, maeve)
        assert ask(at, player("Iris"), 0, ELSEWHERE)


class TestTraces:
    def test_traces_are_hashed_per_table(self) -> None:
        _, maeve = game()
        other = seating.play_now(player("Ben"), CLASSIC_24)
        traces.record(other, maeve, HOME)
        digests = list(Trace.objects.values_list("digest", flat=True))
        assert len(set(digests)) == 4
        assert not any("192.0.2" in one or "session" in one for one in digests)

    def test_repeated_traces_are_stored_once(self) -> None:
        at, maeve = game()
        traces.record(at, maeve, HOME)
        assert at.traces.count() == 2

    def test_no_traces_are_recorded_at_a_reserved_table(self) -> None:
        at, maeve = game(seen_from=None)
        at.reserved = True
        traces.record(at, maeve, HOME)
        assert not at.traces.exists()

    def test_traces_are_deleted_when_the_table_closes(self) -> None:
        at, maeve = game()
        ask(at, player("Otto"))
        finish(at)
        seating.stand_up(at, maeve)
        assert (at.traces.count(), at.requests.count()) == (0, 0)

    def test_traces_are_deleted_when_an_abandoned_table_closes(self) -> None:
        at, _ = game()
        long_ago = timezone.now() - closing.LEFT_AFTER - MINUTE
        at.seats.update(last_seen=long_ago)
        at.games.update(moved=long_ago)
        Table.objects.update(created=long_ago)
        assert closing.close_left(timezone.now()) == 1
        assert not at.traces.exists()


# As browsers do it ----------------------------------------------------------------------------


def browser(address: str, who: Player | None = None) -> Client:
    """A browser at an address, of a player or of a visitor."""
    client = logged_in(who) if who is not None else Client()
    client.defaults["REMOTE_ADDR"] = address
    return client


class TestPages:
    def test_a_visitor_asks_and_is_let_in(self) -> None:
        maeve = member("Maeve")
        at = seating.play_now(maeve, CLASSIC_24)
        hers, his = browser("192.0.2.1", maeve), browser("192.0.2.2")
        hers.get(f"/tables/{at.pk}/")
        assert b"Ask for this seat" in his.get(f"/tables/{at.pk}/").content
        assert his.post(f"/tables/{at.pk}/ask", {"seat": "1"}).status_code == 303
        guest = Player.objects.get(pk=his.session[PLAYER_KEY])
        assert b"You have asked for a seat: East" in his.get(f"/tables/{at.pk}/").content
        page = hers.get(f"/tables/{at.pk}/").content.decode()
        assert f"{guest.name} asks for a seat: East." in page
        request = at.requests.get()
        answered = hers.post(f"/tables/{at.pk}/answer", {"let-in": str(request.pk)})
        assert answered.status_code == 303
        assert sitter(at, 1) == guest.name
        assert f"{guest.name} sits down: East." in hers.get(f"/tables/{at.pk}/").content.decode()

    def test_a_refused_player_is_notified(self) -> None:
        at, maeve = game()
        his = browser("192.0.2.2", player("Otto"))
        his.post(f"/tables/{at.pk}/ask")
        hers = browser("192.0.2.1", maeve)
        hers.post(f"/tables/{at.pk}/answer", {"refuse": str(at.requests.get().pk)})
        assert b"have refused you a seat" in his.get(f"/tables/{at.pk}/").content
        assert his.post(f"/tables/{at.pk}/ask").status_code == 403

    def test_a_visitor_can_withdraw_a_request(self) -> None:
        at, _ = game()
        his = browser("192.0.2.2", player("Otto"))
        his.post(f"/tables/{at.pk}/ask")
        assert his.post(f"/tables/{at.pk}/ask-no-more").status_code == 303
        assert not at.requests.exists()

    def test_sitting_down_in_a_running_game_is_a_conflict_that_says_what_to_do(self) -> None:
        at, _ = game()
        answer = browser("192.0.2.2").post(f"/tables/{at.pk}/sit", {"seat": "1"})
        assert answer.status_code == 409
        assert b"ask those who play" in answer.content
        assert Player.objects.filter(kind="person").count() == 1

    def test_two_browsers_of_one_address_never_see_two_hands(self) -> None:
        maeve = member("Maeve")
        at = seating.play_now(maeve, CLASSIC_24)
        first, second = browser("192.0.2.1", maeve), browser("192.0.2.1")
        first.get(f"/tables/{at.pk}/")
        link = f"/tables/{at.pk}/join/{at.invite_token}/"
        for _ in range(2):
            for verb in ("ask", "sit"):
                for seat in ("0", "1", "3"):
                    answer = second.post(f"/tables/{at.pk}/{verb}", {"seat": seat})
                    assert answer.status_code in (403, 409)
            page = second.get(f"/tables/{at.pk}/").content.decode()
            assert not re.search(r"<button class=\"card\"[^>]* data-card=", page)
            second.get(link)  # not by the link either
        assert at.seats.filter(player__kind="person").count() == 1

    def test_the_tables_link_leads_to_a_seat_in_the_running_game(self) -> None:
        at, _ = game()
        his = browser("192.0.2.2", player("Otto"))
        his.get(f"/tables/{at.pk}/join/{at.invite_token}/")
        assert his.post(f"/tables/{at.pk}/ask", {"seat": "1"}).status_code == 303
        assert sitter(at, 1) == "Otto"

    def test_a_wrong_invite_token_at_an_open_table_is_not_found(self) -> None:
        at, _ = game()
        his = browser("192.0.2.2", player("Otto"))
        his.get(f"/tables/{at.pk}/join/wrong/")
        assert his.post(f"/tables/{at.pk}/sit", {"seat": "1"}).status_code == 409

    @pytest.mark.parametrize("field", [{}, {"let-in": ""}, {"refuse": "x"}, {"let-in": "9" * 40}])
    def test_an_answer_without_a_valid_request_is_malformed(self, field: dict[str, str]) -> None:
        at, maeve = game()
        assert logged_in(maeve).post(f"/tables/{at.pk}/answer", field).status_code == 400

    def test_seat_requests_of_one_address_are_limited(self, settings: Any) -> None:
        settings.SEAT_REQUESTS_IN_TEN_MINUTES = 1
        at, _ = game()
        his = browser("192.0.2.77", player("Otto"))
        assert his.post(f"/tables/{at.pk}/ask").status_code == 303
        assert his.post(f"/tables/{at.pk}/ask").status_code == 429

    def test_the_lobby_offers_to_ask_for_a_seat(self) -> None:
        at, _ = game()
        page = Client().get("/play/").content.decode()
        assert f"/tables/{at.pk}/ask" in page
        assert "Ask for a seat" in page
        assert f"/tables/{at.pk}/sit" not in page

    def test_leaving_is_announced_on_the_page(self) -> None:
        at, maeve = game()
        otto = player("Otto")
        seat_requests.answer(at, maeve, ask(at, otto, 1).pk, let_in=True, now=NOW)
        logged_in(otto).post(f"/tables/{at.pk}/stand")
        assert at.seats.get(position=1).last_seen == LONG_AGO
        page = logged_in(maeve).get(f"/tables/{at.pk}/").content.decode()
        assert 'role="status" data-text="text">Otto has left: East.</p>' in page


class TestSockets:
    async def test_requests_and_acceptance_are_shown_over_sockets(self) -> None:
        at, maeve = await sync_to_async(game)()
        otto = await Player.objects.acreate(name="Otto")
        his = await new_tab(at.pk, otto)
        await his.connect()
        await sync_to_async(ask)(at, otto, 1)
        asked = timezone.now()
        await SeatRequest.objects.aupdate(asked=asked)
        await play.catch_up(at.pk)
        while "You have asked for a seat: East" not in his.frames[-1]:
            await his.frame()
        request = await SeatRequest.objects.aget()
        await sync_to_async(seat_requests.answer)(at, maeve, request.pk, let_in=True, now=asked)
        await play.catch_up(at.pk)
        while '"hand.seat":1' not in his.frames[-1]:
            await his.frame()
        await his.close()

    async def test_an_open_socket_leaves_a_trace_before_it_shows_a_card(self) -> None:
        maeve = await Player.objects.acreate(name="Maeve")
        at = await sync_to_async(seating.play_now)(maeve, CLASSIC_24)
        one = await new_tab(at.pk, maeve)
        await one.connect()
        assert await Trace.objects.filter(player=maeve, kind=Trace.Kind.SESSION).aexists()
        await one.close()

    async def test_a_spectators_socket_leaves_no_trace(self) -> None:
        at, _ = await sync_to_async(game)(seen_from=None)
        one = await new_tab(at.pk, await Player.objects.acreate(name="Otto"))
        await one.connect()
        await one.close()
        assert not await Trace.objects.aexists()


class TestApi:
    async def test_a_program_asks_and_one_lets_in(self) -> None:
        host, robo = await program("Hosting", "Ada"), await program("Robo", "Ben")
        made = await host.post(
            "/tables",
            {"rules": "classic-24", "seat": "North", "house_seats": ["East", "South", "West"]},
        )
        path = f"/tables/{made['id']}"
        refused_ = await robo.ask("POST", f"{path}/seats/East", {})
        assert (refused_.status_code, refused_.json()["code"]) == (409, "ask")
        asked = await robo.ask("POST", f"{path}/requests", {"seat": "East"})
        assert asked.status_code == 201
        (request,) = (await host.get(path))["requests"]
        assert (request["seat"], request["guest"]) == ("East", False)
        stranger = await robo.ask("POST", f"{path}/requests/{request['id']}", {"let_in": True})
        assert stranger.status_code == 403
        table_now = await host.post(f"{path}/requests/{request['id']}", {"let_in": True})
        assert table_now["requests"] == []
        assert (await robo.get(path))["seat"] == "East"

    async def test_a_program_can_withdraw_its_request(self) -> None:
        at, _ = await sync_to_async(game)()
        robo = await program("Robo", "Ben")
        assert (await robo.ask("POST", f"/tables/{at.pk}/requests", {})).status_code == 201
        assert (await robo.ask("DELETE", f"/tables/{at.pk}/requests")).status_code == 204
        assert not await SeatRequest.objects.aexists()

    async def test_a_program_can_sit_down_with_the_invitation(self) -> None:
        at, _ = await sync_to_async(game)()
        robo = await program("Robo", "Ben")
        body = {"invitation": at.invite_token}
        seated = await robo.ask("POST", f"/tables/{at.pk}/seats/North", body)
        assert (seated.status_code, seated.json()["seat"]) == (200, "North")


def test_switching_accounts_in_a_browser_does_not_show_a_second_hand() -> None:
    """One browser, two accounts: the second is not let in where the first has a seat."""
    maeve, ben, otto = member("Maeve"), member("Ben"), member("Otto")
    at = table(maeve, ben, house_seats=(2, 3))
    browser = logged_in(ben)
    assert browser.get(f"/tables/{at.pk}/").status_code == 200
    browser.post("/accounts/logout/")
    login = {"login": "otto@example.com", "password": PASSWORD}
    assert browser.post("/accounts/login/", login).status_code == 302
    answer = browser.post(f"/tables/{at.pk}/ask", {"seat": "2"})
    assert answer.status_code == 403
    assert not SeatRequest.objects.exists()
    assert logged_in(otto).post(f"/tables/{at.pk}/ask", {"seat": "2"}).status_code == 303
