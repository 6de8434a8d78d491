"""The money of an event: what its form takes, who sees it, and that results decide it."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.engine.rules import HEADS_UP, rules_to_data
from games.models import Game, Performance, Player
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tests.tournaments.room_scores import cards_of
from tests.tournaments.setting_up.test_event_checks import wrong
from tests.tournaments.setting_up.test_event_form import errors, offered, posted
from tournaments.acts import correcting, house_players, withdrawing
from tournaments.attendance import substitutes
from tournaments.entering import leaving_running_event
from tournaments.models import Club, Event, Pairing
from tournaments.money import sheet
from tournaments.money.sheet import MoneySheet
from tournaments.results.match_lines import team_of
from tournaments.room_scores import cards

pytestmark = pytest.mark.django_db

MONEY: dict[str, Any] = {
    "currency": "EUR",
    "entry_money": 500,
    "club_share": 100,
    "prizes": [{"amount": 0, "percent": 60}, {"amount": 0, "percent": 40}],
}


@pytest.fixture
def club() -> Club:
    return build.club(currency="EUR", time_zone="Europe/Dublin")


def match(club: Club, entries: int = 2, **fields: Any) -> Event:
    """A round robin for pairs in the room, with its first round drawn."""
    usual = {"format": "round_robin", "place": "room", "minimum": 2}
    event = build.event(club, **{**usual, **MONEY, **fields})
    build.enter(event, entries)
    build.begin(event)
    return event


def score(
    event: Event, by: Player, *scores: tuple[int, int], reason: str = "", **more: Any
) -> None:
    """Let a director set the scores of the tables of the latest round, from table 1 on."""
    for number, one in enumerate(scores, start=1):
        table = build.latest(event).pairings.get(number=number)
        ruling = ruled(int(one[1] > one[0]), one)._replace(**more)
        correcting.set_result(table, by, ruling, reason=reason, now=NOON)
    build.step(event, NOON)


def won(event: Event) -> dict[str, int]:
    """What each entry gets, by the names of its players."""
    event.refresh_from_db()
    table = sheet.read(event)
    assert table.paid_out + table.shares.to_club == table.shares.paid_in
    return {line.team.name: line.total for line in table.winners}


def read(event: Event) -> MoneySheet:
    event.refresh_from_db()
    return sheet.read(event)


def words(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, response.content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", response.content.decode()))


class TestSettingUp:
    def test_the_form_takes_amounts_in_the_currency_of_the_club(
        self, club: Club, ada: Player
    ) -> None:
        filled = {"entry_money": "5", "club_share": "1,00", "lone_pot": "0.5", "prizes": "60%; 40%"}
        assert posted(logged_in(ada), club, **filled).status_code == 303
        event = Event.objects.get()
        assert (event.currency, event.entry_money, event.club_share) == ("EUR", 500, 100)
        assert (event.lone_pot, event.prizes) == (50, MONEY["prizes"])
        shown = offered(club, event)
        assert (shown["entry_money"], shown["prizes"]) == ("5.00", "60%; 40%")

    def test_the_currency_is_asked_beside_the_amount_where_the_club_has_none(
        self, club: Club, ada: Player
    ) -> None:
        Club.objects.update(currency="")
        club.refresh_from_db()
        filled = {"entry_money": "5", "prizes": "100%", "name": "Fives"}
        answer = posted(logged_in(ada), club, **filled)
        assert errors(answer) == {"currency": ["Choose the currency of the entry money."]}
        assert 'value="Fives"' in answer.text
        assert 'name="currency"' in answer.text
        wrong_one = errors(posted(logged_in(ada), club, **filled, currency="XXX"))
        assert "listed currencies" in wrong_one["currency"][0]
        assert posted(logged_in(ada), club, **{**filled, "entry_money": "500"}, currency="JPY")
        event = Event.objects.get()
        assert (event.currency, event.entry_money) == ("JPY", 500)
        assert offered(club)["currency"] == "JPY"
        Club.objects.update(currency="EUR")
        club.refresh_from_db()
        assert "currency" not in offered(club)

    @pytest.mark.parametrize(
        ("field", "value", "said"),
        [
            ("entry_money", "five", "“five” is not an amount"),
            ("prizes", "first", "“first” is not an amount"),
            ("prizes", "60%", "add up to 100%; these make 60%"),
            ("prizes", "", "Say what each place wins"),
            ("club_share", "6", "cannot get more than an entry pays, 5.00"),
        ],
    )
    def test_what_is_wrong_is_said_at_its_field(
        self, club: Club, ada: Player, field: str, value: str, said: str
    ) -> None:
        filled = {"entry_money": "5", "prizes": "100%", "place": "room", field: value}
        assert said in errors(posted(logged_in(ada), club, **filled))[field][0]

    def test_a_pot_for_euchres_is_online(self, club: Club, ada: Player) -> None:
        filled = {"entry_money": "5", "prizes": "100%", "euchre_pot": "1", "place": "online"}
        assert posted(logged_in(ada), club, **filled).status_code == 303
        event = Event.objects.get()
        assert event.euchre_pot == 100
        for there in ({"place": "mixed", "room_from": "2"}, {"place": "room"}):
            assert posted(logged_in(ada), club, **{**filled, **there}).status_code == 303
            assert Event.objects.latest("pk").euchre_pot == 0

    def test_a_pot_for_euchres_that_is_announced_is_not_taken_back_with_the_place(
        self, club: Club, ada: Player
    ) -> None:
        filled = {"entry_money": "5", "prizes": "100%", "euchre_pot": "1", "place": "online"}
        assert posted(logged_in(ada), club, **filled).status_code == 303
        event = Event.objects.get()
        build.enter(event, 4)
        data = {**offered(club, event), "place": "room"}
        assert logged_in(ada).post(f"/events/{event.pk}/edit/", data).status_code == 303
        event.refresh_from_db()
        assert (event.place, event.euchre_pot) == ("room", 100)

    def test_an_event_in_the_room_with_a_pot_for_euchres_can_be_edited(
        self, club: Club, ada: Player
    ) -> None:
        def answer(**fields: str) -> Any:
            data = {**offered(club, event), **fields}
            return logged_in(ada).post(f"/events/{event.pk}/edit/", data)

        filled = {"entry_money": "5", "prizes": "100%", "place": "room"}
        assert posted(logged_in(ada), club, **filled).status_code == 303
        event = Event.objects.get()
        assert answer(euchre_pot="1").status_code == 303
        event.refresh_from_db()
        assert event.euchre_pot == 0
        Event.objects.update(euchre_pot=100)  # by an earlier version
        event.refresh_from_db()
        assert answer(name="Euchre at Nan’s").status_code == 303
        event.refresh_from_db()
        assert (event.name, event.euchre_pot) == ("Euchre at Nan’s", 100)

    def test_pots_need_figures(self) -> None:
        pots = {**MONEY, "lone_pot": 50, "euchre_pot": 50}
        assert wrong(**pots) == {}
        assert wrong(**pots, place="room") == {}
        assert "lone_pot" in wrong(**pots, rules_data=rules_to_data(HEADS_UP))

    def test_the_owner_chooses_the_currency(self, club: Club) -> None:
        owner = member("Olive")
        build.joined(club, owner, "owner")
        data = {"name": club.name, "joining": "open", "time_zone": "UTC", "currency": "JPY"}
        assert logged_in(owner).post(f"/clubs/{club.slug}/settings/", data).status_code == 303
        club.refresh_from_db()
        assert club.currency == "JPY"
        wrong_one = logged_in(owner).post(
            f"/clubs/{club.slug}/settings/", data | {"currency": "XXX"}
        )
        assert "Choose one of the listed currencies" in wrong_one.content.decode()


class TestSharing:
    def test_the_winner_of_the_results_wins_and_a_correction_moves_it(
        self, club: Club, ada: Player
    ) -> None:
        event = match(club)
        score(event, ada, (5, 3))
        assert won(event) == {"1 & 2": 480, "3 & 4": 320}
        score(event, ada, (3, 5), reason="Written down the wrong way round")
        assert won(event) == {"3 & 4": 480, "1 & 2": 320}

    def test_whoever_leaves_before_the_start_pays_nothing_and_later_wins_nothing(
        self, club: Club, ada: Player
    ) -> None:
        event = build.event(club, format="round_robin", place="room", minimum=2, **MONEY)
        entries = build.enter(event, 4)
        withdrawing.withdraw(entries[3], ada, NOON, reason="Ill")
        assert read(event).shares.paid_in == 1500
        build.begin(event)
        score(event, ada, (5, 3))
        assert read(event).shares.paid_in == 1500
        first = build.latest(event).pairings.get().entries.get(side=0).entry
        leaving_running_event.withdraw(first, ada, NOON, reason="Called away")
        build.step(event, NOON)
        for _round in range(3):
            open_tables = build.latest(event).pairings.exclude(state=Pairing.State.DECIDED)
            if open_tables.exists():
                score(event, ada, (5, 3))
        assert event.state == Event.State.FINISHED
        assert team_of(first).name not in won(event)
        assert sum(won(event).values()) == 1200

    def test_house_players_neither_pay_nor_win(self, club: Club) -> None:
        event = build.event(club, house_prizes=True, rounds=1, **MONEY)
        build.enter(event, 3)
        house_players.add_house_entries(event, event.created_by, 1, NOON)
        build.play_to_end(event)
        assert read(event).shares.paid_in == 1500
        assert sum(won(event).values()) == 1200

    def test_a_shared_place_is_split_to_the_cent_and_the_sum_written_out(
        self, club: Club, ada: Player
    ) -> None:
        prizes = [{"amount": 0, "percent": percent} for percent in (50, 30, 20)]
        knock_out = {"format": "single_elimination", "break_seconds": 0}
        event = match(club, 4, entry_money=501, prizes=prizes, **knock_out)
        score(event, ada, (5, 3), (5, 3))
        score(event, ada, (5, 3))
        event.refresh_from_db()
        table = sheet.read(event)
        assert [line.total for line in table.winners] == [802, 481, 160, 160]
        assert [(line.sharing, line.shared) for line in table.winners] == [
            (1, 0), (1, 0), (2, 320), (2, 320),
        ]  # fmt: skip
        assert table.sum_in_words == "8.02 + 4.81 + 1.60 + 1.60 + 4.01 for the club = 20.04"
        build.joined(club, member("Mona"))
        page = words(logged_in(Player.objects.get(name="Mona")), f"/events/{event.pk}/money/")
        assert "3.20 shared by 2" in page
        assert table.sum_in_words in page

    def test_lone_hands_of_the_results_win_their_pot(self, club: Club, ada: Player) -> None:
        event = match(club, lone_pot=200)
        score(event, ada, (5, 4), lone=(0, 1))
        assert [(line.team.name, line.lone) for line in read(event).winners] == [
            ("1 & 2", 0),
            ("3 & 4", 400),
        ]
        assert won(event) == {"1 & 2": 240, "3 & 4": 560}

    def test_euchres_are_counted_from_the_games(self, club: Club) -> None:
        event = match(club, place="online", euchre_pot=400, prizes=[])
        build.arrive(event)
        build.step(event, NOON)
        table = build.latest(event).pairings.get()
        build.win(table, 0)
        build.step(event, NOON)
        game = Game.objects.get(table=table.table_id)
        common = {
            "game": game, "rules": "x", "ended": NOON, "points": 5, "against": 10, "deals": 9,
        }  # fmt: skip
        for line in table.entries.all():
            for position, one in enumerate(line.entry.players.all()):
                euchres = 3 if line.side else 1
                Performance.objects.create(
                    player=one.player, position=position * 2 + line.side, euchres=euchres, **common
                )
        loser = table.entries.get(side=1).entry
        assert won(event) == {team_of(loser).name: 800}

    def test_euchres_of_whoever_has_left_a_seat_are_the_entry_s(
        self, club: Club, ada: Player
    ) -> None:
        pot = {**MONEY, "euchre_pot": 400, "prizes": []}
        event = build.event(club, format="progressive", rounds=2, break_seconds=600, **pot)
        entry = build.enter(event, 4)[0]
        seat, rosa = entry.players.get(), member("Rosa")
        build.joined(club, rosa)
        build.begin(event)
        other = event.entries.exclude(pk=entry.pk)[0].players.get().player
        for euchres, player in enumerate((seat.player, rosa), start=1):
            build.arrive(event)
            build.step(event, NOON + (euchres - 1) * 11 * MINUTE)
            game = Game.objects.get(table__pairing__round=build.latest(event))
            common = {
                "game": game, "rules": "x", "ended": NOON, "points": 5, "against": 10, "deals": 9,
            }  # fmt: skip
            Performance.objects.create(player=player, position=0, euchres=euchres, **common)
            Performance.objects.create(player=other, position=1, euchres=1, **common)
            build.win(build.latest(event).pairings.get(), 0)
            build.step(event, NOON + (euchres - 1) * 11 * MINUTE)
            if player != rosa:
                substitutes.substitute(seat, rosa, ada, NOON, reason="Called away.")
                build.step(event, NOON + 11 * MINUTE)
        assert won(event)[seat.player.name] == 1600

    def test_an_event_in_the_room_that_has_the_pot_counts_the_hands_written(
        self, club: Club, ada: Player
    ) -> None:
        usual = {**MONEY, "prizes": [], "euchre_pot": 400, "minimum": 2}
        event = cards_of.drawn(club, 6, format="round_robin", **usual)
        match = cards_of.match_of(event, 1)
        sides = [team_of(match.entries.get(side=side).entry).name for side in (0, 1)]
        for number, (caller, took) in enumerate([(0, cards.FEW), (0, cards.MARCH)], start=1):
            cards_of.hand(event, number, caller, took)
        for side in (0, 1):
            cards_of.sign(event, (2, 2), side=side)
        for at in (2, 3):  # these are written as one score
            match = cards_of.match_of(event, at)
            correcting.set_result(match, ada, ruled(0, (2, 1)), reason="", now=NOON)
        Event.objects.update(final_at=NOON)
        assert won(event) == {sides[1]: 2400}
        assert sheet.EUCHRES_IN_THE_ROOM in read(event).rules
        wrong_hand = cards_of.match_of(event, 1)
        correcting.set_result(wrong_hand, ada, ruled(0, (4, 0)), reason="Misread.", now=NOON)
        assert won(event) == {}  # the hands do not make this result

    def test_reading_takes_as_many_queries_for_many_as_for_few(
        self, club: Club, ada: Player, django_assert_max_num_queries: Any
    ) -> None:
        few = match(club)
        score(few, ada, (5, 3))
        many = match(build.club("Two", currency="EUR"), 8, lone_pot=100)
        few.refresh_from_db()
        for event in (few, many):
            with django_assert_max_num_queries(5):
                sheet.read(event)


class TestPaying:
    def test_only_directors_see_who_has_paid_and_the_way_to_the_door(
        self, club: Club, ada: Player
    ) -> None:
        event, nora = match(club), member("Nora")
        build.joined(club, nora)
        page, door = f"/events/{event.pk}/money/", reverse("door", args=[event.pk])
        assert "Who has paid" not in words(logged_in(nora), page)
        browser, entry = logged_in(ada), event.entries.order_by("arrival")[0]
        for _again in range(2):
            assert browser.post(door, {"paid": entry.pk}).status_code == 303
        assert "Who has paid: 5.00 of 10.00" in words(browser, page)
        assert browser.post(door, {"unpaid": entry.pk}).status_code == 303
        assert "Who has paid: 0.00 of 10.00" in words(browser, page)
        record = event.notices.filter(by=ada).values_list("text", flat=True)
        assert [*record] == ["1 and 2: not paid after all.", "1 and 2: paid."]

    def test_whoever_paid_and_left_before_the_start_gets_it_back(
        self, club: Club, ada: Player
    ) -> None:
        event, browser = build.event(club, **MONEY), logged_in(ada)
        entries = build.enter(event, 4)
        door = reverse("door", args=[event.pk])
        browser.post(door, {"paid": entries[0].pk})
        withdrawing.withdraw(entries[0], ada, NOON, reason="Ill")
        assert "Who has paid: 0.00 of 15.00" in words(browser, f"/events/{event.pk}/money/")
        assert "Give back 5.00" in words(browser, door)
        browser.post(door, {"unpaid": entries[0].pk})
        assert "Give back" not in words(browser, door)


class TestPages:
    def test_a_visitor_sees_the_terms_and_members_the_sheet(self, club: Club, ada: Player) -> None:
        event = match(club)
        mine = f"/events/{event.pk}/money/"
        assert "Entry 5.00 EUR 4.00 to the prizes, 1.00 to the club." in words(
            Client(), f"/events/{event.pk}/"
        )
        assert Client().get(mine).status_code == 403
        before = words(logged_in(ada), mine)
        assert "1st 4.80" in before
        assert "2nd 3.20" in before
        score(event, ada, (5, 3))
        after = words(logged_in(ada), mine)
        assert "Paid in: 2 × 5.00 10.00" in after
        assert "Left over, to the club 0.00" in after
        assert "1st 1 &amp; 2 4.80" in after

    def test_terms_are_shown_before_anybody_enters(self, club: Club) -> None:
        event = build.event(club, **MONEY, starts=NOON.replace(year=2099))
        seen = words(Client(), f"/events/{event.pk}/")
        assert "entry 5.00 EUR" in seen
        assert "Payouts by place: 60%; 40%." in seen

    def test_the_sheet_is_printed_when_all_is_played(self, club: Club, ada: Player) -> None:
        event, browser = match(club), logged_in(ada)
        path = f"/events/{event.pk}/print/money/"
        assert browser.get(path).status_code == 409
        assert "print/money" not in browser.get(f"/events/{event.pk}/print/").content.decode()
        score(event, ada, (5, 3))
        assert "1st 1 2 4.80" in words(browser, path)
        assert "print/money" in browser.get(f"/events/{event.pk}/print/").content.decode()
        assert Client().get(path).status_code == 403

    def test_an_event_without_entry_money_has_no_sheet(self, club: Club, ada: Player) -> None:
        event = build.event(club)
        assert logged_in(ada).get(f"/events/{event.pk}/money/").status_code == 404

    def test_a_cancelled_event_gives_it_back(self, club: Club, ada: Player) -> None:
        event = match(club, state=Event.State.REGISTRATION)
        Event.objects.update(state=Event.State.CANCELLED, ended=NOON)
        seen = words(logged_in(ada), f"/events/{event.pk}/money/")
        assert "whoever has paid gets it back" in seen
