"""One result counts everywhere: whatever is set and corrected, every figure follows it."""

from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.core.cache import cache

from games.models import Game, Performance, Player
from games.records import game_lists, performances
from games.records.selection import Selection
from games.records.sums import score_of
from games.seats import lobby, reserved
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import MINUTE, NOON, ruled
from tournaments.acts import correcting
from tournaments.entering import leaving_running_event
from tournaments.event_page import exports
from tournaments.models import Club, EntryPlayer, Event, Pairing, Season
from tournaments.refusals import RefusedError
from tournaments.standings import ranking
from tournaments.statistics import club_average, club_statistics, player_record

pytestmark = pytest.mark.django_db

M, How = Event.Match, Pairing.How


@pytest.fixture
def club() -> Club:
    """A club with a director, who does not play."""
    made = build.club()
    build.director(made)
    return made


@pytest.fixture
def ada(club: Club) -> Player:
    """The director."""
    return club.memberships.get().player


def named(event: Event) -> None:
    """Let everybody in the event be a member of the club with an account."""
    for line in EntryPlayer.objects.filter(event=event):
        one = member(f"M{line.pk}")
        build.joined(event.club, one)
        EntryPlayer.objects.filter(pk=line.pk).update(player=one)


def started(club: Club, entries: int, **fields: Any) -> Event:
    """An event whose first round is drawn."""
    event = build.event(club, **{"round_minutes": 20, "time_up": Event.TimeUp.SCORE, **fields})
    build.enter(event, entries)
    named(event)
    build.begin(event)
    return event


def one_match(club: Club, **fields: Any) -> tuple[Event, Pairing]:
    """An event with one match, and that match."""
    event = started(club, 2, rounds=1, format="swiss", minimum=2, **fields)
    return event, build.latest(event).pairings.get()


def play(event: Event) -> None:
    """Let the games of the present round begin."""
    build.arrive(event)
    build.step(event, NOON)


def score(of: Player) -> tuple[int, int, int, int, int]:
    """Somebody's games won, tied and lost, and points for and against, by the record."""
    performances.record_ended()
    told = score_of(game_lists.rows_of(of))
    return told.won, told.tied, told.lost, told.points, told.against


def sides(match: Pairing) -> tuple[list[Player], list[Player]]:
    """Who plays on either side."""
    lines = EntryPlayer.objects.filter(entry__pairings__pairing=match).select_related("player")
    both: tuple[list[Player], list[Player]] = ([], [])
    for line in lines:
        both[match.entries.get(entry=line.entry).side].append(line.player)
    return both


class TestOneMatch:
    def test_corrected_winner_counts_as_winner(self, club: Club, ada: Player) -> None:
        event, match = one_match(club)
        play(event)
        build.win(match, 0, (5, 3))
        build.step(event, NOON)
        (winner, _), (loser, _) = sides(match)
        assert score(winner) == (1, 0, 0, 5, 3)
        correcting.set_result(match, ada, ruled(1, (4, 6)), reason="Misread.", now=NOON)
        assert score(winner) == (0, 0, 1, 4, 6)
        assert score(loser) == (1, 0, 0, 6, 4)
        game = Game.objects.get()
        html = logged_in(winner).get(f"/games/{game.pk}/").content.decode()
        assert "win, 6–4" in html
        assert "Set by a director; the table’s log says 5–3." in html
        told = logged_in(winner).get(f"/api/games/{game.pk}").json()
        assert (told["score"], told["winner"], told["ruled"]) == ([4, 6], 1, "director")
        assert told["log_score"] == [5, 3]
        (line,) = lobby.results_of(loser)
        assert (line["outcome"], line["score"]) == ("Won", (6, 4))
        page = logged_in(loser).get(f"/players/{loser.pk}/games/").content.decode()
        assert "the table’s log says 3–5" in page

    def test_undone_correction_restores_the_logs_result(self, club: Club, ada: Player) -> None:
        event, match = one_match(club)
        play(event)
        build.win(match, 0, (5, 3))
        build.step(event, NOON)
        (winner, _), _ = sides(match)
        correcting.set_result(match, ada, ruled(1, (4, 6)), reason="Misread.", now=NOON)
        correcting.set_result(match, ada, ruled(0, (5, 3)), reason="It was right.", now=NOON)
        assert score(winner) == (1, 0, 0, 5, 3)
        assert Game.objects.get().ruling is None

    def test_result_set_during_a_game_is_not_abandoned(self, club: Club, ada: Player) -> None:
        event, match = one_match(club)
        play(event)
        correcting.set_result(match, ada, ruled(0, (5, 2)), reason="The net failed.", now=NOON)
        (winner, _), (loser, _) = sides(match)
        assert score(winner) == (1, 0, 0, 5, 2)
        assert score(loser) == (0, 0, 1, 2, 5)
        page = logged_in(winner).get(f"/players/{winner.pk}/games/").content.decode()
        assert "Given up" not in page
        assert "set by a director; the table’s log says 0–0" in page

    def test_result_set_before_arrival_counts(self, club: Club, ada: Player) -> None:
        _event, match = one_match(club)
        correcting.set_result(match, ada, ruled(0, (5, 2)), reason="On paper.", now=NOON)
        (winner, partner), (loser, _) = sides(match)
        assert score(winner) == (1, 0, 0, 5, 2)
        told = logged_in(winner).get(f"/api/players/{winner.pk}/games").json()["items"]
        assert [(one["game"], one["result"], one["score"]) for one in told] == [
            (None, "won", [5, 2])
        ]
        assert told[0]["partner"]["name"] == partner.name
        assert "not played here" in logged_in(loser).get(f"/players/{loser.pk}/games/").text
        correcting.set_result(match, ada, ruled(1, (2, 5)), reason="Misread.", now=NOON)
        assert score(winner) == (0, 0, 1, 2, 5)
        forfeit = ruled(0, ended=How.FORFEIT)
        correcting.set_result(match, ada, forfeit, reason="They left.", now=NOON)
        assert score(winner) == (0, 0, 0, 0, 0)
        assert not Performance.objects.exists()

    def test_a_game_that_is_forfeited_is_won_and_lost(self, club: Club, ada: Player) -> None:
        event, match = one_match(club)
        play(event)
        Game.objects.update(score_0=4, score_1=1)
        (leaver, _), (stayer, _) = sides(match)
        leaving_running_event.withdraw(match.entries.get(side=0).entry, ada, NOON)
        assert score(leaver) == (0, 0, 1, 0, 0)
        assert score(stayer) == (1, 0, 0, 0, 0)
        html = logged_in(stayer).get(f"/games/{Game.objects.get().pk}/").content.decode()
        assert "lost by forfeit" in html
        assert "the table’s log says 4–1" in html

    def test_a_lot_that_decides_a_knock_out_wins_its_game(self, club: Club) -> None:
        event = started(club, 2, format="single_elimination", minimum=2)
        match = build.latest(event).pairings.get()
        play(event)
        Game.objects.update(score_0=3, score_1=3)
        build.step(event, NOON + 60 * MINUTE)
        match.refresh_from_db()
        assert match.winner >= 0
        winner = sides(match)[match.winner][0]
        assert score(winner) == (1, 0, 0, 3, 3)

    def test_order_of_recording_does_not_matter(self, club: Club, ada: Player) -> None:
        event, match = one_match(club)
        play(event)
        build.win(match, 0, (5, 3))
        stale = Game.objects.select_related("table").get()
        build.step(event, NOON)
        correcting.set_result(match, ada, ruled(1, (4, 6)), reason="Misread.", now=NOON)
        performances.record(stale)
        (first, _), _ = sides(match)
        assert score(first) == (0, 0, 1, 4, 6)

    def test_best_of_three_is_counted_game_by_game(self, club: Club, ada: Player) -> None:
        event, match = one_match(club, match=M.BEST_OF_3)
        play(event)
        build.win(match, 0, (5, 3))
        build.step(event, NOON)
        build.step(event, NOON)
        scores = ((5, 3), (2, 5), (4, 5))
        correcting.set_result(match, ada, ruled(1, *scores), reason="On paper.", now=NOON)
        (first, _), (second, _) = sides(match)
        assert score(first) == (1, 0, 2, 11, 13)
        assert score(second) == (2, 0, 1, 13, 11)
        rulings = list(Game.objects.order_by("number").values_list("ruling", flat=True))
        assert rulings[0] is None  # it is what the log says
        assert len(rulings) == 2
        correcting.set_result(match, ada, ruled(0, (5, 3), (6, 1)), reason="No.", now=NOON)
        assert score(first) == (2, 0, 0, 11, 4)

    def test_undone_extra_game_restores_played_hands(self, club: Club, ada: Player) -> None:
        event = started(club, 2, format="single_elimination", minimum=2, match=M.DEALS, deals=8)
        match = build.latest(event).pairings.get()
        play(event)
        build.win(match, -1, (6, 6))
        build.step(event, NOON)
        build.step(event, NOON + 5 * MINUTE)
        build.win(match, 0, (1, 0))
        build.step(event, NOON + 10 * MINUTE)
        (first, _), (second, _) = sides(match)
        assert score(first) == (1, 1, 0, 7, 6)
        as_played = list(Performance.objects.order_by("pk").values())
        match.refresh_from_db()
        how = match.how
        correcting.set_result(match, ada, ruled(1, (5, 8)), reason="Misread.", now=NOON)
        assert (score(first), score(second)) == ((0, 0, 1, 5, 8), (1, 0, 0, 8, 5))
        correcting.set_result(match, ada, ruled(0, (7, 6)), reason="It was right.", now=NOON)
        assert score(first) == (1, 1, 0, 7, 6)
        assert list(Performance.objects.order_by("pk").values()) == as_played
        assert set(Game.objects.values_list("ruling", flat=True)) == {None}
        match.refresh_from_db()
        assert (match.how, match.points_0, match.points_1) == (how, 7, 6)


#: What a random night does with a match of the present round.
WAYS = ("log", "log", "time", "set", "forfeit", "leave", "paper", "no show")


class Night:
    """An event in which matches end in every way, by chance."""

    def __init__(self, club: Club, ada: Player, seed: int) -> None:
        self.rng, self.ada = Random(seed), ada
        form = self.rng.choice(["swiss", "round_robin", "rotation"])
        rounds = None if form == "round_robin" else 3
        entries = 8 if form == "rotation" else 6
        self.event = started(club, entries, rounds=rounds, format=form)
        now = NOON
        while self.event.state == Event.State.RUNNING:
            self.round(now)
            now += timedelta(hours=1)
        for match in Pairing.objects.filter(round__event=self.event).order_by("pk"):
            if self.rng.random() < 0.4:
                self.rule(match, now)
        performances.record_ended()

    def round(self, now: datetime) -> None:
        """Let the present round be played."""
        called = list(build.latest(self.event).pairings.filter(state=Pairing.State.CALLED))
        ways = {match.pk: self.rng.choice(WAYS) for match in called}
        for match in called:
            if ways[match.pk] == "paper":
                self.rule(match, now)
            elif ways[match.pk] == "no show":
                forfeit = ruled(self.rng.choice([-1, 0, 1]), ended=How.FORFEIT)
                correcting.set_result(match, self.ada, forfeit, reason="Nobody.", now=now)
        build.arrive(self.event)
        build.step(self.event, now)
        for match in build.latest(self.event).pairings.filter(state=Pairing.State.PLAYING):
            way = ways.get(match.pk, "log")
            if way == "log":
                build.win(match, side := self.rng.randrange(2), self.score(side), now)
            elif way == "time":
                first, second = self.rng.randrange(5), self.rng.randrange(5)
                Game.objects.filter(table=match.table).update(score_0=first, score_1=second)
            elif way == "leave":
                leaving_running_event.withdraw(match.entries.order_by("pk")[0].entry, self.ada, now)
            else:
                self.rule(match, now)
        build.step(self.event, now)
        build.step(self.event, now + timedelta(minutes=59))

    def score(self, side: int) -> tuple[int, int]:
        """The score of a game that a side wins."""
        high, low = self.rng.randrange(5, 9), self.rng.randrange(5)
        return (high, low) if side == 0 else (low, high)

    def rule(self, match: Pairing, now: datetime) -> None:
        """Set a result by chance; one that it has already is not set."""
        side = self.rng.randrange(2)
        wish = self.rng.choice(
            [
                ruled(side, self.score(side)),
                ruled(side, ended=How.FORFEIT),
                ruled(-1, (2, 2), ended=How.TIME),
                ruled(0, (4, 1), ended=How.TIME),
            ]
        )
        with suppress(RefusedError):  # of the result that it has already
            correcting.set_result(match, self.ada, wish, reason="So it was.", now=now)


class Wanted:
    """What everybody has by the results of the matches alone."""

    def __init__(self, matches: list[Pairing]) -> None:
        self.all: dict[int, Counter[str]] = {}
        self.games: dict[int, Counter[str]] = {}
        self.met: dict[tuple[str, int, int], Counter[str]] = {}
        games = reserved.results(match.table_id for match in matches if match.table_id)
        for match in matches:
            begun = bool(games.get(match.table_id or 0))
            # A forfeit before the first hand counts for places, and is no game.
            self._add(match, game=begun or match.how != How.FORFEIT)

    def _add(self, match: Pairing, *, game: bool) -> None:
        both, points = sides(match), (match.points_0, match.points_1)
        for side in (0, 1):
            tie = match.winner == -1 and match.how != How.FORFEIT
            word = "won" if match.winner == side else "tied" if tie else "lost"
            figures = Counter({word: 1, "for": points[side], "against": points[1 - side]})
            for one in both[side]:
                self.all.setdefault(one.pk, Counter()).update(figures)
                if game:
                    self.games.setdefault(one.pk, Counter()).update(figures)
                    for how, others in (("beside", both[side]), ("facing", both[1 - side])):
                        for other in others:
                            self.met.setdefault((how, one.pk, other.pk), Counter())[word] += 1


def results_in(figures: Counter[str]) -> tuple[int, int, int]:
    """How many are won, tied and lost."""
    return figures["won"], figures["tied"], figures["lost"]


@pytest.fixture(params=range(5))
def night(request: pytest.FixtureRequest, club: Club, ada: Player) -> Event:
    """An event that has ended; nothing that was added up for another is kept."""
    cache.clear()
    event = Night(club, ada, request.param).event
    assert event.state == Event.State.FINISHED
    return event


def test_all_figures_follow_the_results_that_count(night: Event, ada: Player) -> None:
    matches = list(Pairing.objects.filter(round__event=night).order_by("round__number", "number"))
    wanted = Wanted(matches)
    persons = [
        (line.player, line.entry_id)
        for line in EntryPlayer.objects.filter(event=night, entry__house=False)
    ]
    lines = {line.entry.pk: line for line in ranking.standings_of(night).lines}
    held = club_statistics.held_by(night.club)
    season = Season(
        name="All",
        first_day=NOON.date() - timedelta(days=9),
        last_day=NOON.date() + timedelta(days=9),
    )
    shown = {line.player.pk: line for line in club_statistics.read(night.club, season, held).lines}
    for one, entry in persons:
        want = wanted.all.get(one.pk, Counter())
        stands = lines[entry]
        assert (stands.won, stands.tied, stands.lost) == results_in(want)
        assert (stands.points_for, stands.points_against) == (want["for"], want["against"])

        games = wanted.games.get(one.pk, Counter())
        assert score(one) == (*results_in(games), games["for"], games["against"])
        told = logged_in(one).get(f"/api/players/{one.pk}/record").json()["score"]
        assert (told["won"], told["tied"], told["lost"]) == results_in(games)
        assert (told["points"], told["against"]) == (games["for"], games["against"])
        assert told["given_up"] == 0

        figures = dict(zip(club_statistics.KEYS, shown[one.pk].values, strict=True))
        number = sum(results_in(games))
        assert figures["games"] == number
        assert (figures["score"] or 0) * number == pytest.approx(games["for"])
        assert (figures["won"] or 0) * number == games["won"] + games["tied"] / 2


def test_meetings_averages_exports_and_api_follow_the_results(night: Event, ada: Player) -> None:
    matches = list(Pairing.objects.filter(round__event=night).order_by("round__number", "number"))
    wanted = Wanted(matches)
    for how, first, second in wanted.met:
        one, other = Player.objects.get(pk=first), Player.objects.get(pk=second)
        if first != second and Player.Kind.HOUSE not in {one.kind, other.kind}:
            two = player_record.head_to_head(game_lists.rows_of(one), one, other, NOON)
            told = two["together"] if how == "beside" else two["opposed"]
            assert (told.won, told.tied, told.lost) == results_in(wanted.met[how, first, second])

    members = night.club.memberships.values_list("player", flat=True)
    total = Counter[str]()
    for member_id in members:
        total.update(wanted.games.get(member_id, Counter()))
    rows = game_lists.rows_of(ada)
    average = club_average.compare(rows, night.club, Selection())
    assert average["games"] == sum(results_in(total))
    won = next(line for line in average["lines"] if line.name == "Games won")
    assert won.average == pytest.approx(100 * total["won"] / average["games"])

    for row, match in zip(exports.results(night), matches, strict=True):
        assert row["points"] == {"north_south": match.points_0, "east_west": match.points_1}
        for game in row["games"]:
            assert {side: game[side] for side in row["points"]} == row["points"]
    answer = logged_in(ada).get(f"/api/events/{night.pk}/results?limit=100").json()
    for told in answer["items"]:
        for game in told["games"]:
            assert game["winner"] == told["winner"]
            assert game["score"] == [side["points"] for side in told["sides"]]
