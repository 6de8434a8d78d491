"""What a game's log says that everybody did, against the score sheet of the same game."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone

from games.engine.errors import EngineError
from games.engine.rules import CLASSIC_24, HEADS_UP, RuleSet
from games.models import Game, GameEvent, Performance, Proposal
from games.records import performances
from games.records.finished import finished
from games.records.game_lists import rows_of
from games.records.sums import score_of
from games.seats import consent, reserved
from tests.chance import PUBLISHED
from tests.factories import cast, play_out, player, table

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def played(rules: RuleSet = CLASSIC_24, by: str = GameEvent.By.PERSON) -> Game:
    at = table(*cast()[: rules.players], rules=rules)
    return play_out(at, thrown_in=0 if rules.stick_the_dealer else 1, by=by)


def by_name(game: Game) -> dict[str, Performance]:
    return {one.player.name: one for one in game.performances.select_related("player")}


@pytest.mark.parametrize("rules", PUBLISHED.values(), ids=PUBLISHED)
def test_it_agrees_with_the_score_sheet(rules: RuleSet) -> None:
    game = played(rules)
    performances.record(game)
    rows = finished(game).rows
    names = [sitter.name for sitter in finished(game).players]
    calls, alone, euchred = Counter[str](), Counter[str](), Counter[str]()
    marched, euchres, lone_euchres = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        if not row["maker"]:
            continue
        calls[row["maker"]] += 1
        alone[row["maker"]] += row["alone"]
        marched[row["maker"]] += row["tricks"] == 5
        if row["tricks"] < 3:
            euchred[row["maker"]] += 1
            defenders = names[(names.index(row["maker"]) + 1) % 2 :: 2]
            euchres.update(defenders)
            lone_euchres.update(defenders if row["alone"] else ())
    found = by_name(game)
    assert set(found) == set(names)
    for name, one in found.items():
        side = names.index(name) % 2
        assert one.deals == len(rows)
        assert (one.called, one.alone) == (calls[name], alone[name])
        assert (one.marched, one.euchred) == (marched[name], euchred[name])
        assert (one.made, one.euchres) == (calls[name] - euchred[name], euchres[name])
        assert one.lone_euchres == lone_euchres[name]
        assert one.called == one.called_1 + one.called_2 + one.called_3 + one.called_4
        assert (one.points, one.against) == (
            (game.score_0, game.score_1) if side == 0 else (game.score_1, game.score_0)
        )
        assert one.result == (1 if game.winner == side else -1)
        assert one.rules == rules.name
        assert one.ended == game.ended


@pytest.mark.parametrize("points", [0, 1])
def test_a_game_given_up_before_anybody_had_a_point_is_nobodys_win(points: int) -> None:
    maeve, ben, iris, jonah = cast()
    at = table(maeve, ben, iris, jonah)
    Game.objects.update(score_0=points)
    consent.propose(at, maeve, Proposal.Kind.RESIGN, 1, timezone.now())
    consent.answer(at, iris, Proposal.objects.get().pk, agree=True, now=timezone.now())
    performances.record_ended()
    told = {name: one.result for name, one in by_name(at.games.get()).items()}
    winners = dict.fromkeys(("Ben", "Jonah"), 1) if points else {}
    assert told == {"Maeve": -1, "Iris": -1} | winners


def test_partners_and_opponents_are_named_and_luck_is_shared() -> None:
    game = played()
    performances.record(game)
    found = by_name(game)
    maeve, ben, iris, jonah = (found[name] for name in ("Maeve", "Ben", "Iris", "Jonah"))
    assert maeve.partner_id == iris.player_id
    assert (maeve.left_id, maeve.right_id) == (ben.player_id, jonah.player_id)
    assert (jonah.left_id, jonah.right_id) == (maeve.player_id, iris.player_id)
    assert maeve.worth == iris.worth == ben.worth_against
    assert ben.worth == jonah.worth == maeve.worth_against
    assert maeve.worth > 0


def test_two_players_have_one_opponent_and_no_partner() -> None:
    game = played(HEADS_UP)
    performances.record(game)
    found = by_name(game)
    assert found["Maeve"].partner_id is None
    assert (found["Maeve"].left_id, found["Maeve"].right_id) == (found["Ben"].player_id, None)
    assert found["Ben"].left_id == found["Maeve"].player_id


def test_a_call_that_a_house_player_made_in_his_stead_is_not_his() -> None:
    game = played(by=GameEvent.By.HOUSE)
    for seat in range(4):  # they come for their last card
        game.events.filter(pk=game.events.filter(seat=seat).latest("seq").pk).update(
            by=GameEvent.By.PERSON
        )
    performances.record(game)
    assert all(one.called == one.made == one.alone == 0 for one in game.performances.all())
    assert sum(one.euchres for one in game.performances.all()) > 0
    assert not any(one.lone_euchres for one in game.performances.all())
    game.refresh_from_db()
    assert game.noted
    # Who sits a lone hand out does nothing in it.
    assert set(game.stood_in[:-1]) <= set("fedb7")
    assert len(game.stood_in) == game.performances.all()[0].deals


@pytest.mark.parametrize("side", [0, 1])
def test_what_the_house_played_for_somebody_who_never_came_is_not_their_game(side: int) -> None:
    game = played()
    absent = game.seats.get(position=side)
    game.events.filter(seat=side).update(by=GameEvent.By.HOUSE, player=None)
    performances.record(game)
    assert absent.player.name not in by_name(game)
    assert len(by_name(game)) == 3
    assert all(score_of(rows_of(one.player)).decided == 1 for one in game.performances.all())
    assert score_of(rows_of(absent.player)).games == 0


def test_a_house_player_has_no_record_but_is_somebodys_partner() -> None:
    game = play_out(table(player("Maeve"), house_seats=(1, 2, 3)), by=GameEvent.By.PERSON)
    performances.record(game)
    (only,) = game.performances.all()
    assert only.partner is not None
    assert only.partner.kind == "house"


def test_a_game_that_cannot_be_replayed_holds_up_no_other() -> None:
    bad = play_out(table(*cast()), by=GameEvent.By.PERSON)
    good = play_out(table(*[player(f"{n}") for n in range(4)]), by=GameEvent.By.PERSON)
    bad.events.filter(seq=1).update(action="nonsense")
    with pytest.raises(EngineError):
        performances.record_ended()
    noted = dict(Game.objects.values_list("pk", "noted"))
    assert noted == {bad.pk: False, good.pk: True}


def test_however_many_games_cannot_be_replayed_the_others_are_recorded() -> None:
    games = [
        play_out(table(*[player(f"{name} {n}") for n in range(4)]), by=GameEvent.By.PERSON)
        for name in ("Ada", "Ben", "Cleo", "Dora", "Emil")
    ]
    bad, good = games[:3], games[3:]
    GameEvent.objects.filter(game__in=bad, seq=1).update(action="nonsense")
    for recorded in (1, 2):
        with pytest.raises(EngineError):
            performances.record_ended(1)
        assert Game.objects.filter(noted=True, pk__in=[one.pk for one in good]).count() == recorded
    assert not Game.objects.filter(noted=True, pk__in=[one.pk for one in bad]).exists()


def test_a_game_whose_performances_the_database_refuses_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bad, good = (
        play_out(table(*[player(f"{name} {n}") for n in range(4)]), by=GameEvent.By.PERSON)
        for name in ("Ada", "Ben")
    )
    record = performances.record

    def refused(game: Game) -> None:
        if game.pk == bad.pk:
            raise IntegrityError("out of range")
        record(game)

    monkeypatch.setattr(performances, "record", refused)
    with pytest.raises(IntegrityError):
        performances.record_ended()
    assert dict(Game.objects.values_list("pk", "noted")) == {bad.pk: False, good.pk: True}


def test_ended_games_are_recorded_once() -> None:
    at = table(*cast())
    assert performances.record_ended() == 0
    game = play_out(at, by=GameEvent.By.PERSON)
    assert performances.record_ended() == 1
    assert performances.record_ended() == 0
    performances.record(game)
    assert Performance.objects.count() == 4
    game.refresh_from_db()
    assert set(game.stood_in) == {"0"}


def test_recording_again_gives_the_same() -> None:
    game = played()
    performances.record(game)
    before = list(Performance.objects.order_by("position").values())
    Performance.objects.all().delete()
    Game.objects.update(noted=False)
    performances.record_ended()
    after = list(Performance.objects.order_by("position").values())
    assert [{**one, "id": 0} for one in after] == [{**one, "id": 0} for one in before]


@pytest.mark.django_db(transaction=True)
def test_workers_that_note_at_once_note_once() -> None:
    played()

    def work() -> None:
        try:
            performances.record_ended()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(8)]:
            done.result()
    assert Performance.objects.count() == 4


@pytest.mark.parametrize(("is_reserved", "counts"), [(True, True), (True, False), (False, True)])
def test_a_game_given_up_counts_where_its_host_says_so(is_reserved: bool, counts: bool) -> None:
    at = table(*cast())
    at.reserved = is_reserved
    at.save()
    game = at.games.get()
    Game.objects.filter(pk=game.pk).update(score_0=4, score_1=7)
    assert game.started
    reserved.end(at.pk, game.started, counts=counts)
    performances.record_ended()
    results = [one.result for one in Performance.objects.order_by("position")]
    assert results == ([-1, 1, -1, 1] if is_reserved and counts else [None] * 4)
