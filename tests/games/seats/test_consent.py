"""Leaving a game for good, resigning it, claiming the rest of a hand: proposed and agreed to."""

import random
import re
from datetime import datetime, timedelta
from typing import NamedTuple

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.http import Http404
from django.utils import timezone

from games.access import game_for
from games.engine.claiming import may_claim
from games.engine.game import Game as Play
from games.engine.rules import CLASSIC_24, HEADS_UP, RuleSet
from games.live import state
from games.models import Game, GameEvent, Performance, Player, Proposal, Seat, Table
from games.models.log import RESIGNED
from games.models.proposals import ANSWER_AT_ONCE, ANSWER_WITHIN, MAX_PER_HAND
from games.people.traces import UNKNOWN_ORIGIN
from games.play import play
from games.records import LOST, WON, performances
from games.records.finished import finished
from games.records.outcomes import outcome_of
from games.seats import consent, lobby, reserved, seat_requests, seating
from games.seats.reserved import ReservedTable
from games.seats.seating import SeatingError
from games.shuffle.dealing import packs_of
from tests.factories import again, cast, logged_in, player, push, table
from tests.games.seats.test_seating import names, refused

pytestmark = pytest.mark.django_db

CLAIM, RESIGN, LEAVE = Proposal.Kind.CLAIM, Proposal.Kind.RESIGN, Proposal.Kind.LEAVE
NOW = timezone.now()
HOUSE_NORTH = "Rowan"


@pytest.fixture(autouse=True)
def _tables_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table goes on by itself on the loop of a single request."""
    monkeypatch.setattr(play, "on_timer", lambda *_due: None)


class Claimable(NamedTuple):
    """A table at which somebody may claim the rest of the hand now."""

    at: Table
    game: Game
    claimer: Player
    others: list[Player]


def claimable(rules: RuleSet = CLASSIC_24, sitting: tuple[Player, ...] | None = None) -> Claimable:
    """Play a table by chance until somebody may claim."""
    at = table(*(sitting or cast()[: rules.players]), rules=rules)
    chance = random.Random(5)
    for _ in range(40):
        game = at.games.get(state=Game.State.PLAYING)
        engine = Play(game.rules, game.first_dealer, packs_of(game))
        events: list[GameEvent] = []
        while not engine.standing.over:
            if engine.turn >= 0 and may_claim(engine.observe(engine.turn)):
                _store(game, engine, events)
                seats = at.seats.select_related("player").order_by("position")
                who = [seat.player for seat in seats if seat.player]
                claimer = who.pop(engine.turn)
                return Claimable(at, game, claimer, who)
            action = chance.choice(engine.legal_actions())
            events.append(push(game, engine, action, GameEvent.By.PERSON))
        _store(game, engine, events)
        game.state, game.ended = Game.State.OVER, timezone.now()
        game.save()
        at.state = Table.State.FINISHED
        at.save()
        seating.again(at, who_sits(at))
        at.refresh_from_db()
    raise AssertionError("nobody could claim")


def _store(game: Game, engine: Play, events: list[GameEvent]) -> None:
    GameEvent.objects.bulk_create(events)
    game.version, game.turn = engine.version, engine.turn
    game.deal_number = engine.standing.deal_number
    game.score_0, game.score_1 = engine.standing.score
    game.save()
    state.forget_all()  # what was stored here, nobody was told


def number_of(at: Table) -> int:
    """The number of a table's present or last game; 1 before the first."""
    return at.games.aggregate(last=Max("number"))["last"] or 1


def propose(at: Table, who: Player, kind: str, now: datetime) -> None:
    """Propose something in the present game."""
    consent.propose(at, who, kind, number_of(at), now)


def leave(at: Table, who: Player, now: datetime) -> None:
    """Leave the present game for good."""
    consent.leave(at, who, number_of(at), now)


def withdraw(at: Table, who: Player, now: datetime) -> None:
    """Take back what was proposed in the present game."""
    consent.withdraw(at, who, number_of(at), now)


def sheet(at: Table, who: Player) -> str:
    """A table's page as somebody sees it now."""
    state.forget_all()
    return logged_in(who).get(f"/tables/{at.pk}/").content.decode()


def who_sits(at: Table) -> Player:
    """Somebody who has a seat."""
    seat = at.seats.select_related("player").exclude(player=None).first()
    assert seat
    assert seat.player
    return seat.player


def only(at: Table) -> Proposal:
    """The one proposal of a table's game."""
    return Proposal.objects.get(game__table=at)


def event_table(*sitting: Player) -> Table:
    """A table of an event, its game begun."""
    at = reserved.open_tables([ReservedTable(sitting, "Round 1", "/")], CLASSIC_24, sitting[0])[0]
    reserved.begin(at.pk, 1, CLASSIC_24)
    at.refresh_from_db()
    return at


class TestLeaving:
    def test_a_house_player_has_the_seat_and_the_game_goes_on(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        leave(at, maeve, NOW)
        at.refresh_from_db()
        assert names(at) == [HOUSE_NORTH, "Ben", "Iris", "Jonah"]
        assert at.state == Table.State.PLAYING
        assert not Seat.objects.get(table=at, position=0).stand_in

    def test_a_player_who_left_can_play_elsewhere(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        leave(at, maeve, NOW)
        assert lobby.your_tables(maeve) == ()
        assert not maeve.seats.exists()
        elsewhere = seating.play_now(maeve, CLASSIC_24)
        assert [line.table_id for line in lobby.your_tables(maeve)] == [elsewhere.pk]

    def test_the_game_counts_for_the_player_who_left(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        leave(at, maeve, NOW)
        game = at.games.get()
        assert game.seats.get(position=0).player == maeve
        assert game_for(maeve, game.pk)[1] == game

    def test_the_table_shows_who_left_for_good(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        leave(at, maeve, NOW)
        told = logged_in(others[0]).get(f"/tables/{at.pk}/").content.decode()
        assert "Maeve has left for good: a house player plays on" in told

    def test_a_player_who_left_gets_no_other_seat(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        browser = logged_in(maeve)
        browser.get(f"/tables/{at.pk}/")  # from here the cards of North have been seen
        leave(at, maeve, NOW)
        leave(at, others[0], NOW)
        with refused("left"):
            seating.sit(at, maeve, 1, by_link=True)
        assert again(browser).post(f"/tables/{at.pk}/ask", {"seat": "1"}).status_code == 403

    def test_another_guest_of_the_same_browser_is_not_let_in(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        logged_in(maeve).get(f"/tables/{at.pk}/")
        leave(at, maeve, NOW)
        stranger = logged_in(player("Otto"))  # from the same address, and neither has an account
        response = stranger.post(f"/tables/{at.pk}/ask", {"seat": "0"})
        assert response.status_code == 403
        assert "nobody may see two hands" in response.content.decode()

    def test_a_person_from_elsewhere_can_be_let_in(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        leave(at, maeve, NOW)
        otto = player("Otto")
        request = seat_requests.ask(at, otto, 0, UNKNOWN_ORIGIN, NOW)
        seat_requests.answer(at, others[0], request.pk, let_in=True, now=NOW)
        assert names(at)[0] == "Otto"
        assert at.games.get().seats.get(position=0).player == maeve

    def test_a_loss_does_not_count_for_the_successor(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        leave(at, maeve, NOW)
        otto = player("Otto")
        seating.sit(at, otto, 0, by_link=True)
        propose(at, iris, RESIGN, NOW)
        consent.answer(at, otto, Proposal.objects.get(kind=RESIGN).pk, agree=True, now=NOW)
        performances.record_ended()
        kept = Performance.objects.order_by("position").values_list("player", "result")
        assert next(iter(kept)) == (maeve.pk, LOST)
        assert not Performance.objects.filter(player=otto).exists()
        assert [one["outcome"] for one in lobby.results_of(maeve)] == ["Lost"]
        assert lobby.results_of(otto) == []

    def test_a_successor_keeps_access_to_the_game(self) -> None:
        at, game, claimer, _ = claimable()
        position = at.seats.get(player=claimer).position
        Table.objects.update(open=False)
        leave(at, claimer, NOW)
        otto = player("Otto")
        seating.sit(at, otto, position, by_link=True)
        with pytest.raises(Http404):
            game_for(player("Zed"), game.pk)
        game.events.create(
            seq=game.version + 1, seat=position, player=otto, by=GameEvent.By.PERSON,
            action="next", at=NOW,
        )  # fmt: skip
        at.seats.filter(player=otto).update(player=None)
        assert game_for(otto, game.pk)[1] == game

    def test_a_player_who_left_can_join_the_next_game(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        leave(at, maeve, NOW)
        Game.objects.update(state=Game.State.OVER, ended=NOW)
        Table.objects.update(state=Table.State.FINISHED)
        seating.sit(at, maeve, 0)
        assert names(at)[0] == "Maeve"

    def test_nobody_leaves_a_game_of_an_event(self) -> None:
        people = cast()
        at = event_table(*people)
        with refused("reserved"):
            leave(at, people[0], NOW)
        response = logged_in(people[0]).post(f"/tables/{at.pk}/leave", {"game": "1"})
        assert response.status_code == 409
        assert "The games of an event are played to their end" in response.content.decode()
        assert names(at)[0] == "Maeve"

    def test_leaving_between_games_is_refused(self) -> None:
        maeve = player("Maeve")
        with refused("not playing"):
            leave(table(maeve), maeve, NOW)

    def test_leaving_redirects_to_the_home_page(self) -> None:
        people = cast()
        at = table(*people)
        response = logged_in(people[0]).post(f"/tables/{at.pk}/leave", {"game": "1"})
        assert (response.status_code, response["Location"]) == (303, "/")


class TestResigning:
    def test_a_partner_is_asked_and_agrees(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, NOW)
        assert at.games.get().state == Game.State.PLAYING
        consent.answer(at, iris, only(at).pk, agree=True, now=NOW)
        at.refresh_from_db()
        game = at.games.get()
        assert (at.state, game.state, game.ended) == ("finished", Game.State.ABANDONED, NOW)
        outcome = outcome_of(game)
        assert (outcome.results, outcome.winner, outcome.how) == ((LOST, WON), 1, RESIGNED)
        assert game.resigned == 0

    def test_a_partner_who_declines_plays_on(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, NOW)
        consent.answer(at, iris, only(at).pk, agree=False, now=NOW)
        assert at.games.get().state == Game.State.PLAYING
        assert (only(at).state, only(at).answered_by) == (Proposal.State.DECLINED, iris)

    def test_only_the_partner_can_agree_to_resign(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, NOW)
        for other in (maeve, ben):
            with refused("not asked"):
                consent.answer(at, other, only(at).pk, agree=True, now=NOW)
        with refused("not seated"):
            consent.answer(at, player("Otto"), only(at).pk, agree=True, now=NOW)
        assert at.games.get().state == Game.State.PLAYING

    def test_a_house_partner_agrees_at_once(self) -> None:
        maeve = player("Maeve")
        at = seating.play_now(maeve, CLASSIC_24)
        propose(at, maeve, RESIGN, NOW)
        assert at.games.get().resigned == 0

    def test_an_absent_partner_is_asked_too(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        at.seats.filter(player=iris).update(stand_in=True)
        propose(at, maeve, RESIGN, NOW)
        assert at.games.get().state == Game.State.PLAYING

    def test_resigning_heads_up_needs_no_consent(self) -> None:
        maeve, ben, *_ = cast()
        at = table(maeve, ben, rules=HEADS_UP)
        propose(at, ben, RESIGN, NOW)
        assert at.games.get().resigned == 1

    def test_play_again_after_resigning(self) -> None:
        maeve = player("Maeve")
        at = seating.play_now(maeve, CLASSIC_24)
        propose(at, maeve, RESIGN, NOW)
        seating.again(at, maeve)
        at.refresh_from_db()
        assert at.state == Table.State.PLAYING
        assert list(at.games.order_by("number").values_list("state", flat=True)) == [
            Game.State.ABANDONED,
            Game.State.PLAYING,
        ]

    def test_resigning_counts_with_the_current_score(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        Game.objects.update(score_0=3, score_1=1)
        propose(at, maeve, RESIGN, NOW)
        consent.answer(at, iris, only(at).pk, agree=True, now=NOW)
        performances.record_ended()
        rows = Performance.objects.order_by("position")
        seen = rows.values_list("result", "points", "against", "deals")
        assert list(seen) == [(LOST, 3, 1, 0), (WON, 1, 3, 0), (LOST, 3, 1, 0), (WON, 1, 3, 0)]
        game = at.games.get()
        assert finished(game).headline == "Maeve and Iris resign at 3–1"
        assert outcome_of(game).said == "by resignation"
        assert [one["outcome"] for one in lobby.results_of(ben)] == ["Won"]

    def test_the_page_says_who_has_won_and_offers_another_game(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        Game.objects.update(score_0=3, score_1=1)
        propose(at, maeve, RESIGN, NOW)
        consent.answer(at, iris, only(at).pk, agree=True, now=NOW)
        page = logged_in(ben).get(f"/tables/{at.pk}/").content.decode()
        assert "You win" in page
        assert "Maeve and Iris resign." in page
        assert "Play again" in page
        assert "’s turn" not in page

    def test_only_the_partners_page_asks(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        response = logged_in(maeve).post(f"/tables/{at.pk}/resign", {"game": "1"})
        assert response.status_code == 303
        question = 'name="agree"'
        pages = {
            who.name: logged_in(who).get(f"/tables/{at.pk}/").content.decode()
            for who in (maeve, ben, iris)
        }
        assert [name for name, page in pages.items() if question in page] == ["Iris"]
        assert "Take it back" in pages["Maeve"]
        assert all("Maeve wants to resign. Asked: Iris." in one for one in pages.values())
        form = {"agree": str(only(at).pk)}
        assert logged_in(iris).post(f"/tables/{at.pk}/consent", form).status_code == 303
        assert at.games.get().resigned == 0

    @pytest.mark.parametrize("said", ["", "x", "9" * 30, "²"])
    def test_an_invalid_answer_is_refused(self, said: str) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        response = logged_in(maeve).post(f"/tables/{at.pk}/consent", {"agree": said})
        assert response.status_code == 400

    def test_nobody_resigns_a_game_of_an_event(self) -> None:
        people = cast()
        at = event_table(*people)
        with refused("reserved"):
            propose(at, people[0], RESIGN, NOW)
        page = logged_in(people[0]).get(f"/tables/{at.pk}/").content.decode()
        assert "Leave or resign" not in page
        assert not Proposal.objects.exists()


class TestAnotherGame:
    """What was meant for one game does nothing in another, and again in its own nothing new."""

    @pytest.fixture
    def begun_again(self) -> tuple[Table, Player]:
        """A table in its second game, after its person has given the first up."""
        maeve = player("Maeve")
        at = seating.play_now(maeve, CLASSIC_24)
        propose(at, maeve, RESIGN, NOW)
        seating.again(at, maeve)
        at.refresh_from_db()
        return at, maeve

    @pytest.mark.parametrize("fetched", [False, True], ids=["a form", "fetched"])
    @pytest.mark.parametrize("verb", ["resign", "leave", "claim", "withdraw"])
    def test_a_request_for_the_previous_game_is_refused(
        self, begun_again: tuple[Table, Player], verb: str, *, fetched: bool
    ) -> None:
        at, maeve = begun_again
        headers = {"HX-Request": "true"} if fetched else {}
        where = f"/tables/{at.pk}/{verb}"
        response = logged_in(maeve).post(where, {"game": "1"}, headers=headers)
        assert response.status_code == 409
        assert "That was meant for another game" in response.content.decode()
        game = at.games.get(number=2)
        assert (game.state, game.proposals.count()) == (Game.State.PLAYING, 0)
        assert at.seats.filter(player=maeve).exists()

    def test_withdrawing_for_the_previous_game_keeps_the_open_proposal(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        Game.objects.update(state=Game.State.OVER, ended=NOW)
        Table.objects.update(state=Table.State.FINISHED)
        seating.again(at, maeve)
        propose(at, maeve, RESIGN, NOW)
        with refused("another game"):
            consent.withdraw(at, maeve, 1, NOW)
        assert only(at).state == Proposal.State.OPEN

    @pytest.mark.parametrize("said", [None, "", "x", "1.17", "9" * 30, "²"])
    @pytest.mark.parametrize("verb", ["resign", "leave", "claim", "withdraw"])
    def test_the_game_number_is_required(self, verb: str, said: str | None) -> None:
        people = cast()
        at = table(*people)
        form = {} if said is None else {"game": said}
        response = logged_in(people[0]).post(f"/tables/{at.pk}/{verb}", form)
        assert response.status_code == 400
        assert "which game of the table" in response.content.decode()
        assert not Proposal.objects.exists()
        assert names(at)[0] == "Maeve"

    def test_the_buttons_send_the_game_number(self, begun_again: tuple[Table, Player]) -> None:
        at, maeve = begun_again
        page = logged_in(maeve).get(f"/tables/{at.pk}/").content.decode()
        for verb in ("resign", "leave"):
            assert f'formaction="/tables/{at.pk}/{verb}" name="game" value="2"' in page

    def test_repeated_resignation_is_idempotent(self) -> None:
        maeve = player("Maeve")
        at = seating.play_now(maeve, CLASSIC_24)
        browser = logged_in(maeve)
        answers = [browser.post(f"/tables/{at.pk}/resign", {"game": "1"}) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [303, 303]
        assert only(at).state == Proposal.State.AGREED

    @pytest.mark.parametrize("kind", [RESIGN, CLAIM])
    def test_repeated_proposal_is_idempotent(self, kind: str) -> None:
        at, _, claimer, _others = claimable()
        for _ in range(2):
            propose(at, claimer, kind, NOW)
        assert only(at).state == Proposal.State.OPEN
        withdraw(at, claimer, NOW)
        propose(at, claimer, kind, NOW)
        assert Proposal.objects.count() == 2

    def test_repeated_leaving_is_idempotent(self) -> None:
        people = cast()
        at = table(*people)
        browser = logged_in(people[0])
        answers = [browser.post(f"/tables/{at.pk}/leave", {"game": "1"}) for _ in range(2)]
        assert [(one.status_code, one["Location"]) for one in answers] == [(303, "/")] * 2
        assert only(at).kind == LEAVE
        assert names(at) == [HOUSE_NORTH, "Ben", "Iris", "Jonah"]

    @pytest.mark.parametrize("said", ["agree", "decline"])
    def test_repeated_answer_is_idempotent(self, said: str) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, timezone.now())
        browser, form = logged_in(iris), {said: str(only(at).pk)}
        answers = [browser.post(f"/tables/{at.pk}/consent", form) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [303, 303]
        contrary = {"agree": "decline", "decline": "agree"}[said]
        form = {contrary: str(only(at).pk)}
        assert browser.post(f"/tables/{at.pk}/consent", form).status_code == 409

    def test_repeated_agreement_to_a_claim_is_idempotent(self) -> None:
        at, _, claimer, others = claimable()
        propose(at, claimer, CLAIM, NOW)
        for _ in range(2):
            consent.answer(at, others[0], only(at).pk, agree=True, now=NOW)
        assert len(only(at).agreed) == 1
        assert only(at).state == Proposal.State.OPEN


class TestOneAtATime:
    def test_a_second_proposal_is_refused_while_one_is_open(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, NOW)
        with refused("proposed"):
            propose(at, ben, RESIGN, NOW)

    def test_the_database_allows_one_open_proposal(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        propose(at, maeve, RESIGN, NOW)
        row = only(at)
        row.pk = None
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save(force_insert=True)

    def test_only_the_proposer_can_withdraw(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, NOW)
        withdraw(at, ben, NOW)
        assert only(at).state == Proposal.State.OPEN
        withdraw(at, maeve, NOW)
        withdraw(at, maeve, NOW)
        assert only(at).state == Proposal.State.WITHDRAWN
        with refused("no proposal"):
            consent.answer(at, iris, only(at).pk, agree=True, now=NOW)

    def test_a_proposal_lapses_after_a_minute(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, NOW)
        late = NOW + ANSWER_WITHIN
        with refused("no proposal"):
            consent.answer(at, iris, only(at).pk, agree=True, now=late)
        propose(at, ben, RESIGN, late)
        states = Proposal.objects.order_by("pk").values_list("state", flat=True)
        assert list(states) == [Proposal.State.LAPSED, Proposal.State.OPEN]

    def test_proposals_per_player_are_limited(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        for _ in range(MAX_PER_HAND):
            propose(at, maeve, RESIGN, NOW)
            withdraw(at, maeve, NOW)
        with refused("too many"):
            propose(at, maeve, RESIGN, NOW)
        assert logged_in(maeve).post(f"/tables/{at.pk}/resign", {"game": "1"}).status_code == 429

    def test_a_proposal_survives_a_restart(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, NOW)
        state.forget_all()
        read = state.read(at.pk).proposal(NOW)
        assert read is not None
        assert (read.kind, read.name, read.position) == (RESIGN, "Maeve", 0)

    def test_leaving_withdraws_the_proposal(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, NOW)
        leave(at, maeve, NOW)
        with refused("no proposal"):
            consent.answer(at, iris, Proposal.objects.get(kind=RESIGN).pk, agree=True, now=NOW)

    def test_an_opponents_leaving_keeps_the_resignation_open(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, NOW)
        leave(at, ben, NOW)
        row = Proposal.objects.get(kind=RESIGN)
        assert state.read(at.pk).proposal(NOW) is not None
        consent.answer(at, iris, row.pk, agree=True, now=NOW)
        assert at.games.get().resigned == 0

    def test_the_house_agrees_for_a_partner_who_left(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, NOW)
        leave(at, iris, NOW)
        at.refresh_from_db()
        assert at.games.get().resigned == 0
        assert at.state == Table.State.FINISHED

    def test_a_claim_is_agreed_if_the_last_asked_player_leaves(self) -> None:
        at, _, claimer, others = claimable()
        propose(at, claimer, CLAIM, NOW)
        number = only(at).pk
        for other in others[:2]:
            consent.answer(at, other, number, agree=True, now=NOW)
        leave(at, others[2], NOW)
        assert Proposal.objects.get(pk=number).state == Proposal.State.AGREED
        assert state.read(at.pk).claimed >= 0

    def test_agreement_does_not_bind_the_successor(self) -> None:
        at, _, claimer, others = claimable()
        propose(at, claimer, CLAIM, NOW)
        number, seat = only(at).pk, at.seats.get(player=others[0]).position
        consent.answer(at, others[0], number, agree=True, now=NOW)
        leave(at, others[0], NOW)
        seating.sit(at, player("Otto"), seat, by_link=True)
        open_one = state.read(at.pk).proposal(NOW)
        assert open_one is not None
        assert seat in state.read(at.pk).awaited(open_one)

    def test_no_proposals_while_a_claim_is_played_out(self) -> None:
        at, _, claimer, others = claimable()
        propose(at, claimer, CLAIM, NOW)
        for other in others:
            consent.answer(at, other, only(at).pk, agree=True, now=NOW)
        with pytest.raises(SeatingError, match="being played out, as all have agreed"):
            propose(at, others[0], RESIGN, NOW)
        propose(at, claimer, CLAIM, NOW)  # sent again
        assert Proposal.objects.count() == 1

    def test_the_page_says_why_resigning_is_unavailable(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        for _ in range(MAX_PER_HAND):
            propose(at, maeve, RESIGN, timezone.now())
            assert "another proposal is still open at this table" in sheet(at, ben)
            withdraw(at, maeve, timezone.now())
        assert "you have already made two proposals" in sheet(at, maeve)
        assert "cannot resign" not in sheet(at, ben)

    def test_the_page_says_that_the_hand_is_played_out(self) -> None:
        at, _, claimer, others = claimable()
        propose(at, claimer, CLAIM, timezone.now())
        for other in others:
            consent.answer(at, other, only(at).pk, agree=True, now=timezone.now())
        assert "the rest of this hand is being played out" in sheet(at, claimer)

    def test_the_question_explains_the_effect(self) -> None:
        at, _, claimer, others = claimable()
        partner = at.seats.get(position=(at.seats.get(player=claimer).position + 2) % 4).player
        assert partner
        propose(at, claimer, RESIGN, timezone.now())
        assert " It counts as lost for your side.</small>" in sheet(at, partner)
        withdraw(at, claimer, timezone.now())
        propose(at, claimer, CLAIM, timezone.now())
        assert " No card can change the result.</small>" in sheet(at, others[0])

    def test_a_player_who_declined_and_left_is_shown_by_name(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        propose(at, maeve, RESIGN, timezone.now())
        consent.answer(at, iris, only(at).pk, agree=False, now=timezone.now())
        leave(at, iris, timezone.now())
        page = re.sub(r"<[^>]+>", "", sheet(at, ben))
        assert "Iris plays on" in page
        assert f"{names(at)[2]} plays on" not in page

    def test_a_player_with_a_stand_in_cannot_propose(self) -> None:
        maeve, *others = cast()
        at = table(maeve, *others)
        at.seats.filter(player=maeve).update(stand_in=True)
        with refused("stood in"):
            propose(at, maeve, RESIGN, NOW)


#: How a page hides the button that it has for undoing.
UNDO_HIDDEN = 'data-show="undo" hidden'


class TestUndoing:
    def test_undo_is_offered_only_to_the_last_actor(self) -> None:
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        game = at.games.get()
        engine = Play(game.rules, game.first_dealer, packs_of(game))
        events: list[GameEvent] = []
        while not engine.deal.calls:
            actor = engine.turn
            events.append(push(game, engine, engine.legal_actions()[0], GameEvent.By.PERSON))
        _store(game, engine, events)
        at.games.get().events.update(player=at.seats.get(position=actor).player)
        sitting = dict(at.seats.values_list("player_id", "position"))
        for who in (maeve, ben, iris, jonah):
            offered = UNDO_HIDDEN not in sheet(at, who)
            assert offered == (sitting[who.pk] == actor)

    def test_undo_is_hidden_in_event_games(self) -> None:
        people = cast()
        at = event_table(*people)
        with refused("reserved"):
            consent.undo(at, people[0], 1, 0, NOW)
        assert UNDO_HIDDEN in sheet(at, people[0])


class TestClaiming:
    def test_a_claim_asks_all_other_people(self) -> None:
        at, game, claimer, others = claimable()
        propose(at, claimer, CLAIM, NOW)
        for number, other in enumerate(others):
            assert state.read(at.pk).claimed < 0
            consent.answer(at, other, only(at).pk, agree=True, now=NOW)
            assert len(only(at).agreed) == number + 1
        game.refresh_from_db()
        assert state.read(at.pk).claimed == game.turn
        assert game.due == NOW

    def test_one_refusal_rejects_a_claim(self) -> None:
        at, _, claimer, others = claimable()
        propose(at, claimer, CLAIM, NOW)
        consent.answer(at, others[0], only(at).pk, agree=True, now=NOW)
        consent.answer(at, others[1], only(at).pk, agree=False, now=NOW)
        with refused("no proposal"):
            consent.answer(at, others[2], only(at).pk, agree=True, now=NOW)
        assert state.read(at.pk).claimed < 0

    def test_house_players_and_stand_ins_agree_at_once(self) -> None:
        at, _, claimer, _others = claimable()
        at.seats.exclude(player=claimer).update(stand_in=True)
        propose(at, claimer, CLAIM, NOW)
        assert state.read(at.pk).claimed >= 0

    def test_only_the_claimer_can_claim_and_not_too_early(self) -> None:
        at, _, _claimer, others = claimable()
        with refused("no claim"):
            propose(at, others[0], CLAIM, NOW)
        fresh = table(*(player(name) for name in ("A", "B", "C", "D")))
        with refused("no claim"):
            propose(fresh, who_sits(fresh), CLAIM, NOW)

    def test_only_the_claimers_page_offers_the_claim(self) -> None:
        at, _, claimer, others = claimable()
        offered = [
            who
            for who in (claimer, *others)
            if "Claim the rest" in logged_in(who).get(f"/tables/{at.pk}/").content.decode()
        ]
        assert offered == [claimer]

    def test_the_page_shows_the_seconds_to_answer_a_claim(self) -> None:
        at, _game, claimer, others = claimable()
        now = timezone.now()
        propose(at, claimer, CLAIM, now)
        until = now + ANSWER_AT_ONCE
        assert only(at).until == until
        for one in (claimer, others[0]):
            assert f'data-until="{until.timestamp():.1f}"' in sheet(at, one)
        with refused("no proposal"):
            consent.answer(at, others[0], only(at).pk, agree=True, now=until)

    def test_a_claim_never_outlasts_the_turn(self) -> None:
        at, game, claimer, others = claimable()
        Table.objects.update(turn_seconds=10)
        game.moved = NOW
        game.save()
        at.seats.update(since=NOW)
        propose(at, claimer, CLAIM, NOW)
        assert only(at).until == NOW + timedelta(seconds=10)
        with refused("no proposal"):
            late = NOW + timedelta(seconds=10)
            consent.answer(at, others[0], only(at).pk, agree=True, now=late)

    def test_a_game_of_an_event_can_be_claimed(self) -> None:
        at, _game, claimer, _ = claimable()
        Table.objects.update(reserved=True)
        propose(at, claimer, CLAIM, NOW)
        assert only(at).kind == CLAIM
