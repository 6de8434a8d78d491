"""The pages that explain the formats, and the examples on them."""

import re
from collections import Counter
from html import unescape
from itertools import chain
from random import Random

import pytest
from django.test import Client

from tests.tournaments.standings.test_new_format import Lottery
from tournaments.formats import rotation
from tournaments.formats.meetings import meetings
from tournaments.formats.registry import FORMATS, KNOCK_OUTS
from tournaments.formats.rotation import design_for
from tournaments.formats.tie_breaks import TieBreak
from tournaments.guide.format_examples import EXAMPLES, Example, ExampleMatch, example_of
from tournaments.guide.views import PAGES, TWO_STAGES, meanings
from tournaments.models import Event


def matches(example: Example) -> list[ExampleMatch]:
    return [match for played in example.rounds for match in played.matches]


def losers(example: Example) -> Counter[str]:
    return Counter(side.name for match in matches(example) for side in match.sides if not side.won)


def people(names: str) -> list[str]:
    return names.split(" & ")


def text(path: str) -> str:
    response = Client().get(path)
    assert response.status_code == 200
    return unescape(response.content.decode())


def test_every_format_of_an_event_has_its_page() -> None:
    assert set(PAGES) == {*FORMATS, TWO_STAGES} == set(EXAMPLES)


@pytest.mark.django_db
def test_list_links_to_every_format() -> None:
    page = text("/formats/")
    for key, info in PAGES.items():
        assert f'<a href="/formats/{key}/">{info.name}</a>' in page
        assert info.brief in page


@pytest.mark.django_db
@pytest.mark.parametrize("key", PAGES)
def test_a_page_speaks_to_players_and_directors_and_names_its_sources(key: str) -> None:
    page = text(f"/formats/{key}/")
    for heading in ("If you play", "If you direct", "Places", "Sources"):
        assert f">{heading}</h2>" in page
    for name in example_of(key).entrants:
        assert name in page or all(person in page for person in people(name))
    for label, words in meanings(key):
        assert f"<b>{label}</b> {words}" in page


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["lottery", *FORMATS])
def test_a_format_without_an_example_or_a_text_has_a_page(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if key == "lottery":
        monkeypatch.setitem(PAGES, "lottery", Lottery())
    else:
        monkeypatch.delitem(EXAMPLES, key)
    page = text(f"/formats/{key}/")
    assert PAGES[key].name in page
    assert ("If you play" in page) == (key != "lottery")
    assert "Places" in page


@pytest.mark.django_db
def test_a_format_that_does_not_exist_is_not_found() -> None:
    assert Client().get("/formats/knock-about/").status_code == 404


def test_tie_breaks_are_in_the_usual_order_with_the_lot_last() -> None:
    labels = [label for label, _words in meanings("round_robin")]
    assert labels == [
        "Wins", "Head-to-head", "Point difference", "Sonneborn–Berger", "Lone hands", "Lot",
    ]  # fmt: skip
    for key in (*KNOCK_OUTS, TWO_STAGES):
        assert meanings(key) == []


@pytest.mark.django_db
def test_rotation_page_matches_the_draws() -> None:
    page = text("/formats/rotation/")
    (whist,) = re.findall(r"for all such numbers up to (\d+) and some larger", page)
    ((named, last),) = re.findall(
        r"a third time: with ([\d, or]+) players for as many rounds as there are players,"
        r" with any other such number up to (\d+) for seven rounds for every ten players",
        page,
    )
    complete = [int(number) for number in re.findall(r"\d+", named)]
    for players in range(4, int(whist) + 1):
        if players % 4 < 2:
            assert excess(players, players - 1 + players % 4) == 0
    for players in range(4, int(last) + 1):
        if players % 4 < 2:
            continue
        design = design_for(players)
        assert (players in complete) == (design is not None and len(design.order) >= players)
        assert excess(players, players if players in complete else players * 7 // 10) == 0


def excess(players: int, rounds: int) -> int:
    draws = rotation.draws(range(players), rounds, Random(players))
    return meetings(pairing for draw in draws for pairing in draw.pairings).excess()


@pytest.mark.parametrize("key", EXAMPLES)
def test_everybody_plays_once_or_is_listed_as_idle_in_every_round(key: str) -> None:
    example = example_of(key)
    for number, played in enumerate(example.rounds, start=1):
        playing = chain.from_iterable(people(s.name) for m in played.matches for s in m.sides)
        idle = chain.from_iterable(people(name) for name in played.sit_outs)
        here = [*playing, *idle]
        assert played.number == number
        assert len(set(here)) == len(here)
        if key not in (*KNOCK_OUTS, TWO_STAGES):
            assert set(here) == set(chain.from_iterable(map(people, example.entrants)))


def test_the_rotation_is_complete_as_the_page_says() -> None:
    example = example_of("rotation")
    assert (example.partners, example.opponents, example.total) == (1, 2, 7)
    assert all(design_for(players) for players in range(4, 62))
    assert design_for(62) is None


def test_progressive_winners_move_up_and_split() -> None:
    first, second, third = example_of("progressive").rounds
    for before, after in ((first, second), (second, third)):
        seated = {
            person: (match.table, side.name)
            for match in after.matches
            for side in match.sides
            for person in people(side.name)
        }
        for match in before.matches:
            (winners,) = (side.name for side in match.sides if side.won)
            one, other = (seated.get(person) for person in people(winners))
            for place in (one, other):
                assert place is None or place[0] == max(match.table - 1, 1)
            assert one is None or one != other
    assert len({name for played in (first, second, third) for name in played.sit_outs}) == 3


def test_the_swiss_has_no_rematch_and_no_second_bye() -> None:
    example = example_of("swiss")
    met = [frozenset(side.name for side in match.sides) for match in matches(example)]
    byes = [name for played in example.rounds for name in played.sit_outs]
    assert len(set(met)) == len(met)
    assert len(set(byes)) == len(byes) == 3
    assert example.columns[-1] is TieBreak.LOT
    wins = Counter(byes) + Counter(s.name for m in matches(example) for s in m.sides if s.won)
    assert {line.name: line.values[0] for line in example.standings} == {
        name: str(wins[name]) for name in example.entrants
    }


def test_everybody_meets_everybody_in_the_round_robin() -> None:
    example = example_of("round_robin")
    met = {frozenset(side.name for side in match.sides) for match in matches(example)}
    assert len(met) == len(matches(example)) == 10
    assert {name for played in example.rounds for name in played.sit_outs} == set(example.entrants)


def test_the_best_two_of_six_have_byes_and_one_loss_is_the_end() -> None:
    example = example_of("single_elimination")
    assert example.rounds[0].sit_outs == example.entrants[:2]
    lost = losers(example)
    assert set(lost.values()) == {1}
    (champion,) = set(example.entrants) - set(lost)
    assert example.bracket is not None
    assert example.bracket.champion is not None
    assert example.bracket.champion.name == champion


def test_double_elimination_losers_lose_twice() -> None:
    example = example_of("double_elimination")
    assert example.bracket is not None
    assert example.bracket.champion is not None
    lost = losers(example)
    assert {name for name in example.entrants if lost[name] != 2} == {example.bracket.champion.name}
    titles = [title for title, _matches in example.bracket.rounds]
    assert titles[-2:] == ["Final", "Second final"]
    assert len(example.bracket.rounds[-1][1]) == 1


def test_second_stage_pairs_the_best_with_the_last() -> None:
    example = example_of(TWO_STAGES)
    order = [line.name for line in example.standings]
    assert example.seeds == tuple(f"{order[at]} & {order[7 - at]}" for at in range(4))
    assert {side.name for match in example.rounds[3].matches for side in match.sides} == set(
        example.seeds
    )


@pytest.mark.parametrize(("entries", "rounds"), [(8, 4), (32, 6)])
def test_the_swiss_takes_as_many_rounds_as_its_page_says(entries: int, rounds: int) -> None:
    assert Event(format="swiss").round_count(entries) == rounds
    said = "Few: 4 for 8 partnerships, 6 for 32."
    assert FORMATS["swiss"].length == said
