"""Rules of seasons: what counts, what breaks ties, who may change them, and the log."""

import csv
from collections.abc import Sequence
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.test import Client

from games.models import Player
from tests.factories import logged_in, player
from tests.tournaments.build import club, director
from tests.tournaments.seasons.test_clubs_seasons import SPRING, finished
from tournaments.models import Club, Entry, Event, Pairing, PairingEntry, Round, Season, SitOut
from tournaments.refusals import RefusedError
from tournaments.seasons import season_table, seasons
from tournaments.seasons.rule import Evening, Rule, SeasonTie, from_data

pytestmark = pytest.mark.django_db
WON = ("attendance", "below", "match_won", "scored", "sat_out")
NOTHING = dict.fromkeys(WON, 0)
#: The form of a league in Spring with the usual rule, as "our own points".
USUAL = {
    "name": "Spring",
    "first_day": "2026-03-01",
    "last_day": "2026-05-31",
    "nights": "",
    "best": "",
    "counts": "own",
    "attendance": "1",
    "below": "1",
    "match_won": "0",
    "scored": "0",
    "sat_out": "0",
    "places": "",
    "ties": "wins,place",
    "tables": "1",
    "names": "",
    "movers": "0",
    "line": "person",
}


def spring(of: Club, **rule: Any) -> Season:
    """Spring, counted by a rule."""
    days = {"first_day": SPRING.first_day, "last_day": SPRING.last_day}
    season = seasons.make(of, name="Spring", **days)
    return seasons.set_rule(season, Rule(**rule), None) if rule else season


def evening(at: Club, day: int, order: Sequence[Player]) -> Event:
    """An evening in March on which these finished in this order, alone."""
    places = [(place, [who]) for place, who in enumerate(order, start=1)]
    return finished(at, places, datetime(2026, 3, day, 19, tzinfo=UTC))


def points(at: Club, season: Season) -> dict[str, int]:
    return {line.player.name: line.points for line in season_table.table(at, season)}


def play(event: Event, matches: Sequence[tuple[Player, Player, int, int]], idle: Player) -> None:
    """Play a round of these matches, with one player who sits out."""
    played = Round.objects.create(event=event, number=event.played_rounds.count() + 1)
    entries = {one.players.get().player_id: one for one in Entry.objects.filter(event=event)}
    for number, (first, second, points_0, points_1) in enumerate(matches, start=1):
        pairing = Pairing.objects.create(
            round=played,
            number=number,
            state=Pairing.State.DECIDED,
            winner=-1 if points_0 == points_1 else int(points_1 > points_0),
            points_0=points_0,
            points_1=points_1,
        )
        for side, who in enumerate((first, second)):
            PairingEntry.objects.create(
                round=played, pairing=pairing, entry=entries[who.pk], side=side
            )
    SitOut.objects.create(round=played, entry=entries[idle.pk])


def test_every_part_of_a_rule_counts() -> None:
    night = Evening(event=1, place=2, below=5, won=False, matches=3, scored=31, sat_out=1)
    worth = {"attendance": 1, "below": 5, "match_won": 3, "scored": 31, "sat_out": 1}
    for part, times in worth.items():
        assert Rule(**(NOTHING | {part: 7})).points(night) == 7 * times  # type: ignore[arg-type]
    by_place = Rule(attendance=0, below=0, places=(10, 6, 4))
    assert by_place.points(night) == 6
    assert by_place.points(Evening(1, 4, 0, won=False)) == 0
    assert Rule(places=(10, 6), scored=1, match_won=2).points(night) == 1 + 5 + 6 + 31 + 6


def test_matches_points_and_sit_outs_are_those_of_the_tables() -> None:
    mill = club()
    maeve, ben, iris = player("Maeve"), player("Ben"), player("Iris")
    night = evening(mill, 5, [maeve, ben, iris])
    play(night, [(maeve, ben, 10, 7)], iris)
    play(night, [(iris, maeve, 6, 6)], ben)
    season = spring(mill, **(NOTHING | {"match_won": 100, "scored": 1, "sat_out": 1000}))
    assert points(mill, season) == {"Iris": 1006, "Ben": 1007, "Maeve": 116}


def test_a_table_with_matches_takes_four_queries(django_assert_num_queries: Any) -> None:
    mill = club()
    people = [player(str(n)) for n in range(4)]
    season = spring(mill, match_won=2)
    for day in range(1, 6):
        play(evening(mill, day, people), [(people[0], people[1], 10, 3)], people[2])
    with django_assert_num_queries(4):
        assert len(season_table.table(mill, season)) == 4


def test_only_the_best_evenings_count_and_the_others_are_struck_out() -> None:
    mill = club()
    maeve, ben, iris = player("Maeve"), player("Ben"), player("Iris")
    evening(mill, 5, [maeve, ben, iris])
    evening(mill, 12, [ben, maeve, iris])
    evening(mill, 19, [maeve, ben])
    season = spring(mill, best=2)
    assert points(mill, season) == {"Maeve": 5, "Ben": 5, "Iris": 2}
    page = Client().get(f"/clubs/the-old-mill/seasons/{season.pk}/").content.decode()
    assert page.count("<s>2</s><span") == 1  # Maeve's second or third evening: two of 2 points
    assert "The best 2 nights count; the others are struck out." in page


@pytest.mark.parametrize(
    ("tie", "order", "words"),
    [
        (SeasonTie.WINS, ["Maeve", "Ben"], "Maeve is ahead by nights won, 1 to 0."),
        (SeasonTie.PLACE, ["Maeve", "Ben"], "Maeve is ahead by the best place, 1 to 2."),
        (SeasonTie.ATTENDED, ["Ben", "Maeve"], "Ben is ahead by nights played, 2 to 1."),
        (SeasonTie.EVENINGS, ["Maeve", "Ben"], "Maeve is ahead by the best nights, 4 to 3."),
    ],
)
def test_a_tie_is_broken_by_the_chosen_rule_and_named(
    tie: SeasonTie, order: list[str], words: str
) -> None:
    mill = club()
    maeve, ben, otto, vera = (player(name) for name in ("Maeve", "Ben", "Otto", "Vera"))
    evening(mill, 5, [maeve, ben, otto, vera])
    evening(mill, 12, [otto, vera, ben])
    sheet = season_table.sheet(mill, spring(mill, ties=(tie,)))
    both = [line for line in sheet.lines if line.player.name in order]
    assert [line.player.name for line in both] == order
    assert [line.points for line in both] == [4, 4]
    assert f"{order[0]} and {order[1]} have 4 each: {words}" in sheet.ties


def test_equals_share_the_place_and_are_named() -> None:
    mill = club()
    finished(mill, [(1, [player("Maeve")]), (1, [player("Ben")])])
    sheet = season_table.sheet(mill, spring(mill))
    assert [line.place for line in sheet.lines] == [1, 1]
    assert sheet.ties == ["Ben and Maeve have 1 each and share place 1."]


def test_changing_the_rule_counts_again_at_once_and_is_logged_for_all() -> None:
    mill = club()
    ada = director(mill)
    maeve, ben = player("Maeve"), player("Ben")
    evening(mill, 5, [maeve, ben])
    season = spring(mill)
    address = f"/clubs/the-old-mill/seasons/{season.pk}/"
    changed = USUAL | {"attendance": "0", "below": "0", "places": "10, 6", "best": "8"}
    browser = logged_in(ada)
    assert browser.post(f"{address}edit/", changed).status_code == 303
    season.refresh_from_db()
    assert points(mill, season) == {"Maeve": 10, "Ben": 6}
    page = Client().get(address).content.decode()
    assert "<b>Ada</b>" in page
    assert "By place: <s>nothing</s> → 10, 6" in page
    assert "Nights that count: <s>all</s> → the best 8" in page
    assert "Put back" not in page
    change = season.changes.get()
    assert (change.by, from_data(change.before)) == (ada, Rule())
    # The same rule again is no change.
    browser.post(f"{address}edit/", changed)
    assert season.changes.count() == 1
    assert browser.post(f"{address}rule/{change.pk}/put-back").status_code == 303
    season.refresh_from_db()
    assert points(mill, season) == {"Maeve": 2, "Ben": 1}
    assert season.changes.count() == 2


def test_the_form_shows_the_rule_as_it_is() -> None:
    mill = club()
    season = spring(mill, places=(5, 3), best=4, ties=(SeasonTie.SCORED,))
    page = logged_in(director(mill)).get(f"/clubs/the-old-mill/seasons/{season.pk}/edit/")
    form = page.context["form"]
    names = ("places", "best", "ties", "counts", "tables", "line")
    now = [form[name].value() for name in names]
    assert now == ["5, 3", 4, "scored", "own", "1", "person"]
    assert "Points scored at the tables" in page.text


@pytest.mark.parametrize(
    ("field", "changed", "why"),
    [
        ("places", {"places": "6, 10"}, "A place cannot be worth more than a better one."),
        (
            "places",
            {"places": "ten"},
            "“ten” is not a whole number: write points such as 10, 6, 4.",
        ),
        ("places", {"places": "1001"}, "A place can be worth 1000 points at most."),
        ("places", {"places": "1 " * 65}, "Give points to 64 places at most."),
        (
            "places",
            {"attendance": "0", "below": ""},
            "This rule gives no points: fill in at least one of them.",
        ),
        (
            "ties",
            {"ties": "lot"},
            "Choose one of those listed.",
        ),
    ],
)
def test_an_invalid_rule_is_reported_at_its_field(
    field: str, changed: dict[str, str], why: str
) -> None:
    mill = club()
    season = spring(mill)
    address = f"/clubs/the-old-mill/seasons/{season.pk}/edit/"
    response = logged_in(director(mill)).post(address, USUAL | changed)
    assert response.status_code == 422
    assert response.context["form"].errors == {field: [why]}
    assert not season.changes.exists()


def test_a_deleted_season_is_gone() -> None:
    mill = club()
    season = spring(mill)
    kept = Season.objects.get(pk=season.pk)
    season.delete()
    with pytest.raises(RefusedError) as refused:
        seasons.set_rule(kept, Rule(best=1), None)
    assert (refused.value.code, refused.value.status) == ("gone", 404)


def test_the_file_has_a_column_for_each_evening() -> None:
    mill = club()
    maeve, ben = player("Maeve"), player("=Ben")
    first, second = evening(mill, 5, [maeve, ben]), evening(mill, 12, [ben])
    season = spring(mill)
    answer = Client().get(f"/clubs/the-old-mill/seasons/{season.pk}/table.csv")
    assert answer["Content-Disposition"].endswith(f'"the-old-mill-season-{season.pk}.csv"')
    rows = list(csv.DictReader(StringIO(answer.content.decode("utf-8-sig"))))
    columns = [
        f"2026-03-{day:02} Thursday euchre ({one.pk})" for day, one in ((5, first), (12, second))
    ]
    assert [[row["player_name"], row["points"], *(row[c] for c in columns)] for row in rows] == [
        ["'=Ben", "2", "1", "1"],
        ["Maeve", "2", "2", ""],
    ]
    year = Client().get("/clubs/the-old-mill/years/2026/table.csv")
    assert year.content == answer.content


def test_the_sentence_says_the_whole_rule() -> None:
    rule = Rule(
        attendance=2, below=0, match_won=1, places=(5, 3), best=8, ties=(SeasonTie.EVENINGS,)
    )
    assert rule.sentence == (
        "You get 2 points for each night you play, 1 point for each match you win and "
        "5 and 3 points for the first 2 places. Both partners get them. "
        "The best 8 nights count; the others are struck out. "
        "Ties: the better single night, then the next best; still equal, the place is shared."
    )


def test_a_stored_rule_is_read_as_it_was() -> None:
    rule = Rule(places=(9, 5), best=3, ties=(SeasonTie.MATCHES, SeasonTie.SCORED), sat_out=2)
    assert from_data(rule.data) == rule
