"""Several people at one table at the same moment, each in a thread with a connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.models import Game, Player, Proposal, Table
from games.seats import consent, seating
from games.seats.seating import SeatingError
from games.sockets import hub
from tests.factories import cast, finish, player, table
from tests.games.shuffles import Browser

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db]


@pytest.fixture(autouse=True)
def announced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The tables whose watchers were notified of a change."""
    told: list[int] = []
    monkeypatch.setattr(hub, "announce", told.append)
    return told


def together(*verbs: Callable[[], object]) -> list[object]:
    """Call all at one moment; return what each gave, or the SeatingError it raised."""
    ready = Barrier(len(verbs))

    def run(verb: Callable[[], object]) -> object:
        try:
            ready.wait()
            return verb()
        except SeatingError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(verbs)) as pool:
        return list(pool.map(run, verbs))


def sitting(
    at: Table, who: Player, position: int, *, by_link: bool = False
) -> Callable[[], object]:
    return lambda: seating.sit(at, who, position, by_link=by_link)


def test_one_of_four_concurrent_players_gets_the_seat(announced: list[int]) -> None:
    at = table(player("Otto"))
    people = cast()
    announced.clear()
    answers = together(*(sitting(at, who, 2) for who in people))
    refusals = [answer for answer in answers if isinstance(answer, SeatingError)]
    assert [error.code for error in refusals] == ["taken"] * 3
    winner = at.seats.select_related("player").get(position=2).player
    assert winner == people[answers.index(None)]
    assert {error.message for error in refusals} == {f"{winner} has just taken this seat."}
    assert announced == [at.pk]


def test_concurrent_requests_for_two_seats_give_one() -> None:
    maeve, ben, *_ = cast()
    at = table(maeve)
    together(sitting(at, ben, 1), sitting(at, ben, 3))
    assert at.seats.filter(player=ben).count() == 1


def test_a_house_players_seat_goes_to_one_person_in_mid_game() -> None:
    maeve, ben, iris, _ = cast()
    at = seating.play_now(maeve, CLASSIC_24)
    both = (sitting(at, who, 0, by_link=True) for who in (ben, iris))
    answers = together(*both)
    assert sorted(answer is None for answer in answers) == [False, True]
    assert at.games.get().seats.get(position=0).player == at.seats.get(position=0).player


def test_the_last_two_seats_taken_at_once_begin_one_game() -> None:
    maeve, ben, iris, jonah = cast()
    at = table(maeve, ben)
    assert together(sitting(at, iris, 2), sitting(at, jonah, 3)) == [None, None]
    assert at.games.count() == 1


def test_browsers_that_throw_in_at_once_begin_one_game() -> None:
    people = cast()
    at = seating.make_table(people[0], CLASSIC_24)
    for position, who in enumerate(people):
        seating.sit(at, who, position, throws_in=True)
    browsers = [Browser(who, at, position) for position, who in enumerate(people)]
    assert together(*(browser.commit for browser in browsers)) == [None] * 4
    assert together(*(browser.reveal for browser in browsers)) == [None] * 4
    assert at.games.get().commitments_and_contributions[1] == tuple(
        browser.number for browser in browsers
    )


def test_everybody_who_starts_gets_the_same_game() -> None:
    people = cast()
    at = table(*people[:3])
    answers = together(*(lambda who=who: seating.start(at, who) for who in people[:3]))
    assert answers == [None] * 3
    assert at.games.get().state == Game.State.PLAYING


def test_everybody_who_plays_again_gets_the_same_game() -> None:
    people = cast()
    at = table(*people)
    finish(at)
    answers = together(*(lambda who=who: seating.again(at, who) for who in people))
    assert answers == [None] * 4
    assert at.games.get(state=Game.State.PLAYING).number == 2


def test_two_clicks_on_play_now_make_one_table() -> None:
    maeve = player("Maeve")
    tables = together(*[lambda: seating.play_now(maeve, CLASSIC_24)] * 2)
    assert tables == [Table.objects.get()] * 2


def test_sixty_presses_for_practice_make_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "DOUBLE_CLICK", timedelta(hours=1))
    maeve = player("Maeve")
    press = partial(seating.play_now, maeve, CLASSIC_24, open=False)
    tables = [at for _ in range(10) for at in together(*[press] * 6)]
    assert tables == [Table.objects.get()] * 60
    assert seating.play_now(maeve, CLASSIC_24) != tables[0], "which everybody may watch"


def test_a_refused_action_notifies_nobody(announced: list[int]) -> None:
    at = table(player("Maeve"))
    announced.clear()
    with pytest.raises(SeatingError):
        seating.sit(at, player("Ben"), 0)
    assert announced == []


def test_a_game_that_begins_at_once_is_announced_so_that_its_clock_runs(
    announced: list[int],
) -> None:
    at = seating.play_now(player("Maeve"), CLASSIC_24)
    assert announced == [at.pk]


def proposing(at: Table, who: Player) -> Callable[[], object]:
    return lambda: consent.propose(at, who, Proposal.Kind.RESIGN, 1, timezone.now())


def test_one_of_many_concurrent_proposals_is_made() -> None:
    """As many as there are connections to PostgreSQL."""
    people = cast()
    at = table(*people)
    answers = together(*(proposing(at, people[number % 4]) for number in range(16)))
    made_by = Proposal.objects.get().player
    codes = [getattr(answer, "code", "") for answer in answers]
    said = ["" if people[number % 4] == made_by else "proposed" for number in range(16)]
    assert codes == said


def test_a_partner_who_agrees_while_it_is_taken_back_has_agreed_or_not() -> None:
    maeve, ben, iris, jonah = cast()
    at = table(maeve, ben, iris, jonah)
    proposing(at, maeve)()
    number, now = Proposal.objects.get().pk, timezone.now()
    agreed, withdrawn = together(
        lambda: consent.answer(at, iris, number, agree=True, now=now),
        lambda: consent.withdraw(at, maeve, 1, now),
    )
    state, over = Proposal.objects.get().state, at.games.get().resigned == 0
    assert withdrawn is None
    assert (agreed is None, state, over) in {
        (True, Proposal.State.AGREED, True),
        (False, Proposal.State.WITHDRAWN, False),
    }


def test_concurrent_leaving_is_idempotent() -> None:
    maeve, *others = cast()
    at = table(maeve, *others)
    both = together(*[lambda: consent.leave(at, maeve, 1, timezone.now())] * 2)
    assert both == [None, None]
    assert Proposal.objects.count() == 1
