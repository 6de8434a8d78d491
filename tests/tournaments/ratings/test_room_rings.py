"""Scores in the room are somebody's word: a ring of accounts leads no board by them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.engine.rules import RuleSet
from games.models import Player
from games.people import whereabouts
from tests.factories import member, people
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tests.tournaments.room_scores.cards_of import drawn, table_of
from tournaments.acts import correcting, drawing_again, undoing
from tournaments.models import (
    Act,
    Club,
    Event,
    Membership,
    Pairing,
    Rating,
    RatingChange,
    RatingHold,
    ScoreLine,
)
from tournaments.ratings import leaderboards, rating_games, vouching
from tournaments.ratings import moderation as rating_moderation
from tournaments.ratings.leaderboards import BoardFilter
from tournaments.room_scores import writing

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
TOO_FEW = "Too few games or people outside clubs of one owner or the same people"
TO_TEN = RuleSet(key="house-rules", name="To ten", target=10)


@pytest.fixture(autouse=True)
def _usual_bounds(settings: Any) -> None:
    """As a site has them that sets nothing, but for the number of opponents."""
    settings.RANKED_OPPONENTS, settings.RATING_LEAST_HANDS = 6, 4
    settings.RATING_SAME_MATCHES, settings.RATING_SAME_PLAYERS = 20, 4
    settings.RATING_MATCHES_AN_HOUR, settings.RATING_ROOM_HAND_SECONDS = 20, 30
    settings.RATING_ADDRESS_MATCHES = 5


@pytest.fixture
def seven() -> list[Player]:
    return [member(f"Puppet {letter}") for letter in "ABCDEFG"]


def club_of(name: str, owner: Player, members: Sequence[Player] = ()) -> Club:
    made = build.club(name)
    build.joined(made, owner, Membership.Role.OWNER)
    for one in members:
        if one != owner:
            build.joined(made, one)
    return made


def round_robin(club: Club, players: Sequence[Player], start: datetime, seconds: int) -> Event:
    """All have met all with real cards in matches of four hands; the first player has won."""
    return build.all_have_met(
        club, players, start, hands=4, seconds=seconds, place=Event.Place.ROOM
    )


def ranked() -> list[str]:
    lines = leaderboards.pools(None, NOON + DAY)
    return [line.rating.player.name for _pool, leaders, _own in lines for line in leaders]


@contextmanager
def rated(*clubs: Club, recognised: bool) -> Iterator[None]:
    """Rate what was played, with clubs that are recognised or not; afterwards it is not rated."""
    with transaction.atomic():
        Club.objects.filter(pk__in=[one.pk for one in clubs]).update(recognised=recognised)
        rating_games.catch_up()
        yield
        transaction.set_rollback(True)


class TestTheRing:
    def test_matches_decided_faster_than_real_cards_are_held(self, seven: list[Player]) -> None:
        owner = seven[0]
        clubs = [club_of(name, owner, seven) for name in ("A Ring", "Another Ring")]
        for number in range(3):
            start = NOON + number * timedelta(seconds=84)
            round_robin(clubs[number % 2], seven, start, 7)
        rating_games.catch_up()
        held = RatingHold.objects.filter(reason=RatingHold.Reason.FAST)
        assert held.count() == 63
        assert held[0].found == "4 hands with real cards in 7 seconds"
        assert not RatingChange.objects.exists()

    @pytest.mark.parametrize(
        ("owners", "same_people", "on_board"),
        [("one owner", True, False), ("two owners", True, False), ("one owner", False, False),
         ("two owners", False, True)],
    )  # fmt: skip
    def test_a_patient_one_needs_clubs_of_different_owners_and_people(
        self, seven: list[Player], owners: str, same_people: bool, on_board: bool
    ) -> None:
        first = club_of("A Ring", seven[0], seven)
        owner = seven[0] if owners == "one owner" else seven[1]
        others = seven if same_people else [seven[0], *people(6)]
        second = club_of("Another Ring", owner, others)
        for number, (club, players) in enumerate([(first, seven), (second, others)]):
            start = NOON + number * timedelta(hours=2)
            round_robin(club, players, start, 240)
        rating_games.catch_up()
        assert not RatingHold.objects.exists()
        row = Rating.objects.get(player=seven[0])
        assert (row.only_club, row.vouched) == (None, on_board)

    def test_members_who_never_play_make_no_other_club_of_it(self, seven: list[Player]) -> None:
        first = club_of("A Ring", seven[0], seven)
        second = club_of("Another Ring", seven[1], [*seven, *people(20)])
        for number, club in enumerate((first, second)):
            start = NOON + number * timedelta(hours=2)
            round_robin(club, seven, start, 240)
        rating_games.catch_up()
        assert not Rating.objects.filter(vouched=True).exists()

    def test_one_evening_elsewhere_does_not_vouch_for_a_ring(self, seven: list[Player]) -> None:
        ring, elsewhere = club_of("A Ring", seven[0], seven), [seven[0], *people(3)]
        forge = club_of("The Forge", elsewhere[1], elsewhere)
        played = [*[(ring, seven)] * 3, (forge, elsewhere)]
        for number, (club, players) in enumerate(played):
            start = NOON + number * timedelta(hours=2)
            round_robin(club, players, start, 240)
        for recognised in (False, True):
            with rated(forge, recognised=recognised):
                row = Rating.objects.get(player=seven[0])
                assert not row.vouched
                page = leaderboards.board_of(row.pool, BoardFilter(), None, 1, NOON + DAY)
                assert [line.why for line in page.lines if line.rating == row] == [TOO_FEW]
                for other in elsewhere[1:]:
                    assert Rating.objects.get(player=other).vouched == recognised

    def test_one_that_divides_between_two_clubs_has_too_few_people_in_each(
        self, seven: list[Player]
    ) -> None:
        halves = (seven[:4], [seven[0], *seven[4:]])
        clubs = [club_of(f"Half {half[1]}", half[1], half) for half in halves]
        for number, (club, players) in enumerate([*zip(clubs, halves, strict=True)] * 3):
            start = NOON + number * timedelta(hours=2)
            round_robin(club, players, start, 240)
        for recognised in (False, True):
            with rated(*clubs, recognised=recognised):
                assert not RatingHold.objects.exists()
                assert ranked() == ([seven[0].name] if recognised else [])

    def test_a_club_that_is_recognised_vouches_at_once_and_a_change_of_owners_later(
        self, seven: list[Player], django_capture_on_commit_callbacks: Any
    ) -> None:
        first = club_of("A Ring", seven[0], seven)
        others = [seven[0], *people(6)]
        second = club_of("The Forge", others[1], others)
        for number, (club, players) in enumerate([(first, seven), (second, others)] * 2):
            start = NOON + number * timedelta(hours=2)
            round_robin(club, players, start, 240)
        rating_games.catch_up()
        assert seven[0].name in ranked()
        Membership.objects.filter(club=second, player=seven[0]).update(role=Membership.Role.OWNER)
        vouching.review_all()
        assert ranked() == []
        row = Rating.objects.get(player=seven[0])
        page = leaderboards.board_of(row.pool, BoardFilter(), None, 1, NOON + DAY)
        line = next(line for line in page.lines if line.rating == row)
        assert line.why == TOO_FEW
        match = Pairing.objects.filter(round__event__club=second)[0]
        hold = RatingHold.objects.create(
            pairing=match, reason=RatingHold.Reason.ADDRESS, found="So."
        )
        with django_capture_on_commit_callbacks(execute=True):
            rating_moderation.decide(
                [hold.pk],
                member("Staff"),
                "They meet there.",
                NOON,
                let_through=True,
                recognise=[second.pk],
            )
        assert seven[0].name in ranked()
        assert rating_games.inconsistent_pools() == []

    @pytest.mark.django_db(transaction=True)
    def test_staff_hold_no_locks_while_it_is_reviewed_who_is_vouched_for(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        locks: list[bool] = []
        monkeypatch.setattr(
            vouching, "review_all", lambda: locks.append(connection.in_atomic_block)
        )
        clubs, by = [build.club().pk], member("Staff")
        with transaction.atomic():  # as a case is decided
            rating_moderation.decide([], by, "", NOON, let_through=True, recognise=clubs)
        with transaction.atomic():
            rating_moderation.hold_again([], clubs)
        assert locks == [False, False]


class TestPace:
    def test_an_evening_at_the_pace_of_people_is_rated_at_once(self, seven: list[Player]) -> None:
        club = club_of("The Old Mill", seven[0], seven)
        round_robin(club, seven, NOON, 120)
        rating_games.catch_up()
        assert not RatingHold.objects.exists()
        assert RatingChange.objects.count() == 2 * 21

    @pytest.mark.parametrize(("seconds", "held"), [(149, True), (150, False)])
    def test_games_to_points_have_at_least_the_hands_of_their_score(
        self, seconds: int, held: bool
    ) -> None:
        """10–7 takes five hands at least: three of four points and two."""
        club, ada = build.club(), member("Ada")
        event = drawn(club, rounds=1, match=Event.Match.GAME, rules=TO_TEN)
        match = Pairing.objects.get(round__event=event)
        now = NOON + timedelta(seconds=seconds)
        correcting.set_result(match, ada, ruled(0, (10, 7)), reason="", now=now)
        build.step(event, now)
        rating_games.catch_up()
        assert RatingHold.objects.exists() is held

    def test_a_pause_takes_no_time_from_a_match(self) -> None:
        club = build.club()
        ada = build.director(club)
        event = drawn(club, rounds=1, deals=4)
        match = Pairing.objects.get(round__event=event)
        later = NOON + timedelta(minutes=10)
        correcting.set_result(match, ada, ruled(0, (5, 0)), reason="", now=later)
        event.played_rounds.update(called=later)  # as after a pause
        build.step(event, later)
        rating_games.catch_up()
        assert not RatingHold.objects.exists()


class TestOneAddress:
    def evening(self, club: Club, players: Sequence[Player], day: int, *addresses: str) -> None:
        event = round_robin(club, players, NOON + day * DAY, 600)
        match = Pairing.objects.get(round__event=event)
        ScoreLine.objects.bulk_create(
            ScoreLine(
                pairing=match, key=f"{day} {side}", kind=ScoreLine.Kind.SIGN, side=side, address=one
            )
            for side, one in enumerate(addresses)
        )

    @pytest.mark.parametrize(
        ("addresses", "recognised", "held"),
        [(("hall", "hall"), False, 2), (("hall", "mobile"), False, 0), (("", ""), False, 0),
         (("hall", "hall"), True, 0)],
    )  # fmt: skip
    def test_opponents_whose_sides_always_sign_from_one_are_held(
        self, addresses: tuple[str, str], recognised: bool, held: int
    ) -> None:
        club, two = build.club(recognised=recognised), list(people(2))
        for day in range(7):
            self.evening(club, two, day, *addresses)
        rating_games.catch_up()
        assert RatingHold.objects.filter(reason=RatingHold.Reason.ADDRESS).count() == held

    @pytest.fixture
    def signed(self) -> Event:
        """An event at whose first table somebody has written and signed a score."""
        event = drawn(build.club(), deals=1)
        path = f"/t/{table_of(event).code}/"
        north = Client()
        assert north.get(path).status_code == 200
        line = {"round": 1, "side": 0}
        north.post(f"{path}write", {**line, "key": "k" * 8, "kind": "hand", "number": 1,
                                    "caller": 0, "took": "made"})  # fmt: skip
        north.post(f"{path}write", {**line, "key": "s" * 8, "kind": "sign", "scores": "1-0"})
        return event

    @pytest.mark.usefixtures("signed")
    def test_only_hashes_of_signatures_are_kept_and_for_thirty_days(self) -> None:
        assert list(ScoreLine.objects.values_list("address", flat=True)) == [
            "", whereabouts.digest("127.0.0.1"),
        ]  # fmt: skip
        writing.forget_addresses(timezone.now() + whereabouts.KEPT)
        assert not ScoreLine.objects.exclude(address="").exists()

    def test_nor_are_they_kept_longer_with_an_act_that_removed_them(self, signed: Event) -> None:
        now, opal = timezone.now(), member("Opal")
        drawing_again.take_back(signed, opal, 1, reason="So.", override=True, now=now)
        act = signed.acts.get()
        for later, kept in ((timedelta(0), True), (whereabouts.KEPT, False)):
            writing.forget_addresses(timezone.now() + later)
            act.refresh_from_db()
            assert (whereabouts.digest("127.0.0.1") in str(act.kept)) == kept
        undoing.undo(act, opal, now)
        assert [line.address for line in ScoreLine.objects.all()] == ["", ""]

    def test_nor_with_an_act_that_only_changed_them(self, signed: Event) -> None:
        line = ScoreLine.objects.exclude(address="").get()
        image: dict[str, Any] = {"model": line._meta.label, "pk": str(line.pk)}
        changes = {"before": {"address": line.address}, "after": {"address": ""}}
        words = {"before": {"said": "So."}, "after": {"said": ""}}
        kept = {"images": [{**image, **changes}, {**image, **words}]}
        act = Act.objects.create(event=signed, kind=Act.Kind.RESULT, by=member("Opal"), kept=kept)
        for later, there in ((timedelta(0), True), (whereabouts.KEPT, False)):
            writing.forget_addresses(timezone.now() + later)
            act.refresh_from_db()
            assert (line.address in str(act.kept)) == there
        assert act.kept["images"][1] == {**image, **words}


def test_the_page_says_what_the_room_asks_for() -> None:
    words = " ".join(Client().get(reverse("ratings_how")).text.split())
    assert "at most half of the games may be from one club that staff do not know" in words
    assert "than 30 seconds a hand" in words
