"""Programs: made by somebody who answers for them, marked wherever they sit, and retired."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.engine.rules import CLASSIC_24, HEADS_UP
from games.models import Player, Scope, Table, Token
from games.programs import programs, tokens
from games.programs.programs import ProgramError
from games.seats import reserved, seating
from tests.factories import finish, logged_in, member, player

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def robo(owner: Player | None = None, name: str = "Robo") -> Player:
    return programs.make(owner or member("Maeve"), name, NOW)[0]


class TestMaking:
    def test_a_program_has_a_token_to_play_with_and_an_owner(self) -> None:
        maeve = member("Maeve")
        program, secret = programs.make(maeve, "  Robo  ", NOW)
        assert (program.name, program.kind, program.owner) == ("Robo", "program", maeve)
        found = tokens.find(secret, NOW)
        assert found is not None
        assert found.player == program
        assert Scope.PLAY in found.scopes
        assert Scope.ENTER not in found.scopes

    def test_it_needs_an_account(self) -> None:
        with pytest.raises(ProgramError, match="needs an account"):
            programs.make(player("Ben"), "Robo", NOW)

    def test_its_name_is_checked(self) -> None:
        with pytest.raises(ProgramError, match="1 to 30 characters"):
            programs.make(member(), "", NOW)
        assert not Player.objects.filter(kind=Player.Kind.PROGRAM).exists()

    def test_one_has_five_and_retired_ones_do_not_count(self) -> None:
        maeve = member("Maeve")
        made = [programs.make(maeve, f"Robo {n}", NOW)[0] for n in range(programs.MAX_PROGRAMS)]
        with pytest.raises(ProgramError, match="retire one first"):
            programs.make(maeve, "Another", NOW)
        seating.make_table(made[0], HEADS_UP, seat=0)
        programs.retire(made[0])
        programs.make(maeve, "Another", NOW)
        with pytest.raises(ProgramError, match="retire one first"):
            programs.renew(made[0], NOW)

    def test_a_new_token_ends_the_old_one(self) -> None:
        program, old = programs.make(member(), "Robo", NOW)
        new = programs.renew(program, NOW)
        assert tokens.find(old, NOW) is None
        assert tokens.find(new, NOW) is not None

    def test_it_ends_with_its_owner_s_account(self) -> None:
        maeve = member("Maeve")
        _program, secret = programs.make(maeve, "Robo", NOW)
        assert maeve.user is not None
        maeve.user.delete()
        assert tokens.find(secret, NOW) is None


class TestRetiring:
    def test_one_that_never_sat_anywhere_is_gone(self) -> None:
        program = robo()
        programs.retire(program)
        assert not Player.objects.filter(kind=Player.Kind.PROGRAM).exists()

    def test_one_that_sat_leaves_its_tables_and_comes_back_by_a_token(self) -> None:
        maeve = member("Maeve")
        program = robo(maeve)
        waiting = seating.make_table(player("Ben"), CLASSIC_24, seat=0)
        playing = seating.make_table(player("Iris"), HEADS_UP, seat=0)
        seating.sit(waiting, program, 1)
        seating.sit(playing, program, 1)
        programs.retire(program)
        assert not waiting.seats.filter(player=program).exists()
        assert playing.seats.get(player=program).stand_in
        ((_, token),) = programs.programs_of(maeve)
        assert token is None
        programs.renew(program, NOW)
        ((_, token),) = programs.programs_of(maeve)
        assert token is not None


class TestSitting:
    def test_only_a_program_plays_by_the_api(self) -> None:
        with pytest.raises(ProgramError, match="Only a program"):
            programs.check_may_sit(member("Maeve"))

    def test_it_does_not_sit_at_an_event_s_table(self) -> None:
        places = [reserved.ReservedTable([player("Ben"), player("Iris")], "Table 3", "/events/1/")]
        (table,) = reserved.open_tables(places, HEADS_UP, player("Ada"))
        with pytest.raises(ProgramError, match="Table 3 belongs to an event"):
            programs.check_may_sit(robo(), table)

    def test_it_holds_few_seats_at_a_time(self) -> None:
        program = robo()
        made = [seating.make_table(program, CLASSIC_24, seat=0) for _ in range(10)]
        with pytest.raises(ProgramError, match="10 tables at most"):
            programs.check_may_sit(program)
        programs.check_may_sit(program, made[0])
        seating.stand_up(made[0], program)
        programs.check_may_sit(program)

    def test_two_programs_keep_a_table_and_its_last_one_closes_it(self) -> None:
        program, other = robo(member("Maeve")), robo(member("Ben"), "Tin")
        table = seating.make_table(program, HEADS_UP, seat=0)
        seating.sit(table, other, 1)
        finish(table)
        seating.stand_up(table, program)
        table.refresh_from_db()
        assert table.state == Table.State.FINISHED
        seating.stand_up(table, other)
        table.refresh_from_db()
        assert table.state == Table.State.CLOSED

    def test_a_program_may_have_the_house_fill_its_table(self) -> None:
        program = robo()
        table = seating.make_table(program, CLASSIC_24, seat=0)
        seating.start(table, program)
        table.refresh_from_db()
        assert table.state == Table.State.PLAYING


class TestMarks:
    @pytest.fixture
    def table(self) -> Table:
        """A running game of Robo, Maeve's program, against Ben."""
        made = seating.make_table(robo(), HEADS_UP, seat=0)
        seating.sit(made, player("Ben"), 1)
        return made

    @pytest.mark.django_db(transaction=True)
    def test_at_the_table(self, table: Table) -> None:
        page = Client().get(f"/tables/{table.pk}/").content.decode()
        assert "Program of Maeve" in page

    def test_in_the_lobby(self, table: Table) -> None:
        waiting = seating.make_table(robo(member("Iris"), "Tin"), CLASSIC_24, seat=0)
        assert waiting
        page = Client().get("/play/").content.decode()
        assert "Program of Maeve" in page
        assert "Program of Iris" in page

    def test_on_the_page_of_its_game(self, table: Table) -> None:
        game = finish(table)
        page = Client().get(f"/games/{game.pk}/").content.decode()
        assert "Robo: program of Maeve" in page

    def test_on_its_own_page(self, table: Table) -> None:
        program = Player.objects.get(kind=Player.Kind.PROGRAM)
        page = Client().get(f"/players/{program.pk}/").content.decode()
        assert "is a program from outside this site" in page
        assert f'href="/players/{program.owner_id}/"' in page


class TestPage:
    def test_the_token_is_shown_once(self) -> None:
        browser = logged_in(member("Maeve"))
        made = browser.post("/you/programs/", {"name": "Robo"})
        assert made.status_code == 201
        assert "no-store" in made.headers["Cache-Control"]
        hint = Token.objects.get().hint
        assert made.content.decode().count(hint) == 2
        assert browser.get("/you/programs/").content.decode().count(hint) == 1

    def test_an_invalid_name_is_explained_at_its_field(self) -> None:
        answer = logged_in(member()).post("/you/programs/", {"name": "\u200b"})
        assert answer.status_code == 422
        assert "invisible" in answer.content.decode()

    def test_renaming_and_retiring(self) -> None:
        maeve = member("Maeve")
        program, browser = robo(maeve), logged_in(maeve)
        browser.post(f"/you/programs/{program.pk}/rename", {"name": "Tin"})
        assert "Tin" in browser.get("/you/programs/").content.decode()
        assert browser.post(f"/you/programs/{program.pk}/rename", {"name": ""}).status_code == 422
        browser.post(f"/you/programs/{program.pk}/retire")
        assert "No bots yet" in browser.get("/you/programs/").content.decode()

    def test_few_queries(self, django_assert_max_num_queries: Any) -> None:
        maeve = member("Maeve")
        for number in range(programs.MAX_PROGRAMS):
            programs.make(maeve, f"Robo {number}", NOW)
        browser = logged_in(maeve)
        with django_assert_max_num_queries(12):
            browser.get("/you/programs/")
