"""The sheets of an event: what is on them, who may have them, and what they keep secret."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.engine.rules import CLASSIC_24, HEADS_UP, RuleSet
from games.models import Game, Player, Table
from tests.factories import logged_in, play_out
from tests.tournaments import build
from tests.tournaments.build import NOON
from tournaments.acts import correcting, moving_table
from tournaments.attendance import newcomers
from tournaments.models import Event, Pairing
from tournaments.paper import movement, sheets

pytestmark = pytest.mark.django_db

TO_TEN = RuleSet(key="house-rules", name="To ten", target=10)


def sheet(of: Event, which: str, by: Player | None = None, status: int = 200) -> str:
    """The page of a sheet, in words without elements; the director's by default."""
    client = logged_in(by) if by else Client()
    response = client.get(f"/events/{of.pk}/print/{which}")
    assert response.status_code == status, response.content.decode()
    return re.sub(r"\s+", " ", response.content.decode())


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


class TestScoreCards:
    @pytest.mark.parametrize(
        ("rules", "values", "key"),
        [
            (CLASSIC_24, (1, 2, 4), "1 made · 2 march or euchre · 4 alone, all five"),
            (HEADS_UP, (1, 2), "1 made · 2 march or euchre"),
            (
                RuleSet(key="house-rules", name="House", march=3, euchre=4, skunk=5, alone_march=6),
                (),
                "1 made · 3 march · 4 euchre · 5 euchre without a trick · 6 alone, all five",
            ),
            (
                RuleSet(key="x", name="X", alone_euchre=4, defend_alone=True),
                (1, 2, 4),
                (
                    "1 made · 2 march or euchre · "
                    "4 euchre alone or euchre by a lone defender or alone, all five"
                ),
            ),
            (
                RuleSet(key="x", name="X", alone_made=0),
                (1, 2, 4),
                "0 alone, 3 or 4 tricks · 1 made · 2 march or euchre · 4 alone, all five",
            ),
        ],
    )
    def test_boxes_are_what_the_rules_give(
        self, rules: RuleSet, values: tuple[int, ...], key: str
    ) -> None:
        layout = sheets.layout_of(rules)
        assert (layout["boxes"], layout["key"]) == ([*values], key)
        assert len(layout["seats"]) == rules.players

    @pytest.mark.parametrize(
        ("fields", "hands"),
        [
            ({"match": "deals", "deals": 8}, [8]),
            ({"match": "deals", "deals": 30}, [24, 6]),
            ({}, [9]),  # 4–4 of 5 points, and the hand that ends it
            ({"rules": TO_TEN}, [19]),
            ({"match": "best_of_3"}, [9]),
        ],
    )
    def test_there_is_a_line_for_every_hand(self, fields: dict[str, Any], hands: list[int]) -> None:
        cards = sheets.blank_cards(build.event(**fields), 2)
        assert [len(card.hands) for card in cards] == 2 * hands
        assert [card.last for card in cards] == 2 * [
            at == len(hands) for at in range(1, len(hands) + 1)
        ]
        assert {card.several for card in cards} == {fields.get("match") == "best_of_3"}
        numbers = [number for card in cards[: len(hands)] for number, _dealer in card.hands]
        assert numbers == list(range(1, sum(hands) + 1))

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"ties": "hand", "match": "deals", "deals": 8}, True),
            ({"ties": "hand", "round_minutes": 20}, True),
            ({"ties": "hand"}, False),  # a game is won
            ({"match": "deals", "deals": 8}, False),
        ],
    )
    def test_the_card_says_that_a_tie_is_played_off(
        self, fields: dict[str, Any], said: bool
    ) -> None:
        club = build.club()
        event, ada = build.event(club, **fields), build.director(club)
        build.enter(event, 4)
        tied = "At the end; if tied, one more hand"
        assert (tied in words(sheet(event, "score-cards/?tables=2", ada))) == said
        build.begin(event)
        assert (tied in words(sheet(event, "score-cards/", ada))) == said

    def test_everybody_deals_in_turn_unless_a_cut_decides(self) -> None:
        club = build.club()
        set_, cut = (
            sheets.blank_cards(build.event(club, **fields), 1)[0].hands
            for fields in ({"match": "deals", "deals": 6}, {})
        )
        assert [dealer for _number, dealer in set_] == list("NESWNE")
        assert {dealer for _number, dealer in cut} == {""}

    def test_cards_of_the_present_round_bear_the_names(self) -> None:
        club = build.club()
        event, ada = build.event(club, match="deals", deals=8), build.director(club)
        build.enter(event, 8)
        assert words(sheet(event, "score-cards/", ada)).count("Score card ") == 2
        build.begin(event)
        page = words(sheet(event, "score-cards/", ada))
        assert "Score cards of round 1" in page
        pairs = re.findall(r"(?:N–S|E–W) (\d) &amp; (\d) ", page)
        assert sorted(name for pair in pairs for name in pair) == list("12345678")
        empty = words(sheet(event, "score-cards/?tables=3", ada))
        assert "Score cards of round" not in empty
        assert "&amp;" not in empty

    @pytest.mark.parametrize("asked", ["0", "251", "-1", "x", ""])
    def test_wrong_number_of_tables_is_refused(self, asked: str) -> None:
        club = build.club()
        event, ada = build.event(club), build.director(club)
        for which in ("score-cards/", "table-cards/"):
            page = sheet(event, f"{which}?tables={asked}", ada, status=422)
            assert "Cards can be printed for 1 to 250 tables at once." in page


def test_table_cards_name_each_table_and_have_its_code() -> None:
    club = build.club()
    event, ada = build.event(club), build.director(club)
    page = sheet(event, "table-cards/?tables=12", ada)
    assert [int(one) for one in re.findall(r"Table <b[^>]*>(\d+)</b>", page)] == list(range(1, 13))
    assert page.count(f'<p class="code">{event.join_code}</p>') == 12


def test_cards_of_tables_in_the_room_lead_to_their_score_cards() -> None:
    club = build.club()
    event = build.event(club, place=Event.Place.MIXED, room_from=2, rounds=2)
    ada = build.director(club)
    page = sheet(event, "table-cards/?tables=3", ada)
    codes = dict(event.room_tables.values_list("number", "code"))
    assert sorted(codes) == [1, 2, 3]
    assert page.count("Enter the score here") == 3
    for code in codes.values():
        assert f'<p class="code">{code[:4]} {code[4:]}</p>' in page
        assert f"/t/{code}/</p>" in page
    assert sheet(event, "table-cards/?tables=3", ada) == page, "printed again they are the same"
    build.enter(event, 8)
    build.begin(event)
    assert Client().get(f"/t/{codes[2]}/").status_code == 200
    phone = Client()
    page = phone.get(f"/t/{codes[1]}/").text
    assert "Table 1 plays online in round 1." in page
    assert f'href="/events/{event.pk}/"' in page
    assert phone.get(f"/events/{event.pk}/").status_code == 200


def test_the_card_of_a_table_with_a_walk_in_leads_to_its_score_card() -> None:
    club = build.club()
    ada = build.director(club)
    event = build.event(club, place=Event.Place.MIXED, room_from=3, rounds=2, format="progressive")
    build.enter(event, 7)
    newcomers.enter(event, ["Xan"], ada, NOON)
    page = sheet(event, "table-cards/", ada)
    build.begin(event)
    match = build.latest(event).pairings.get(in_room=True)
    assert match.number < 3
    code = event.room_tables.get(number=match.number).code
    assert f"/t/{code}/</p>" in page, "the card was printed before the draw"
    assert Client().get(f"/t/{code}/").status_code == 200


def test_a_table_that_was_moved_to_the_room_has_the_card_of_one() -> None:
    club = build.club()
    event, ada = build.event(club, rounds=2), build.director(club)
    build.enter(event, 8)
    build.begin(event)
    moving_table.move_table(event, ada, 1, 2, NOON, in_room=True)
    page = sheet(event, "table-cards/", ada)
    assert page.count("Enter the score here") == 1
    assert f"/t/{event.room_tables.get(number=2).code}/</p>" in page


def test_cards_of_an_event_without_a_code_lead_to_its_page() -> None:
    club = build.club()
    event, ada = build.event(club), build.director(club)
    Event.objects.filter(pk=event.pk).update(join_code="")
    assert f"/events/{event.pk}/</p>" in sheet(event, "table-cards/", ada)


@pytest.mark.parametrize(
    "which",
    [
        "table-cards/", "score-cards/", "score-cards/?tables={tables}", "movement-cards/",
        "rounds/1/pairings/", "rounds/1/results/", "standings/",
    ],
)  # fmt: skip
def test_sheets_take_no_more_queries_for_more_tables(which: str) -> None:
    club = build.club()
    ada = build.director(club)
    asked = []
    for tables in (2, 12):
        event = build.event(club, place=Event.Place.ROOM, rounds=2, match="deals", deals=2)
        build.enter(event, 4 * tables)
        build.begin(event)
        for match in event.played_rounds.get().pairings.all():
            correcting.set_result(match, ada, build.ruled(0, (4, 1)), reason="", now=NOON)
        build.step(event, NOON)
        sheet(event, which.format(tables=tables), ada)  # makes what is made once
        with CaptureQueriesContext(connection) as queries:
            sheet(event, which.format(tables=tables), ada)
        asked.append(len(queries))
    assert asked[0] == asked[1]


class TestMovementCards:
    @pytest.mark.parametrize(
        ("format_", "fields", "entries"),
        [
            ("rotation", {"rounds": 7}, 9),
            ("rotation", {"rounds": 6, "sit_out": "house"}, 10),
            ("progressive", {"rounds": 6, "movement": "fixed"}, 14),
            ("duplicate", {"rounds": 3, "match": "deals", "deals": 2}, 13),
            ("duplicate_pairs", {"match": "deals", "deals": 2}, 7),
            ("round_robin", {}, 5),
        ],
    )
    def test_they_are_what_is_drawn_later(
        self, format_: str, fields: dict[str, Any], entries: int
    ) -> None:
        event = build.event(format=format_, minimum=2, **fields)
        build.enter(event, entries)
        build.begin(event)
        early = movement.movement_cards(event, NOON)
        again = movement.movement_cards(event, NOON)
        assert early == again
        decide_all(event)
        late = movement.movement_cards(event, NOON)
        assert [places(card) for card in early] == [places(card) for card in late]
        assert len(late) == entries * event.team_size

    def test_a_format_that_needs_results_has_none(self) -> None:
        club = build.club()
        event, ada = build.event(club, format="swiss", rounds=3), build.director(club)
        build.enter(event, 4)
        build.begin(event)
        page = sheet(event, "movement-cards/", ada, status=409)
        assert "draws each round from the results so far" in page

    def test_before_the_start_there_are_none(self) -> None:
        club = build.club()
        event, ada = build.event(club), build.director(club)
        page = sheet(event, "movement-cards/", ada, status=409)
        assert "when the event has started" in page

    def test_the_director_is_led_to_them(self) -> None:
        club = build.club()
        event, ada = build.event(club), build.director(club)
        build.enter(event, 5)
        assert "movement-cards/" not in sheet(event, "", ada)
        build.begin(event)
        assert "movement-cards/" in sheet(event, "", ada)
        assert "Sum ____" in sheet(event, "movement-cards/", ada)
        assert (
            f"/events/{event.pk}/print/" in logged_in(ada).get(f"/events/{event.pk}/manage/").text
        )


def decide_all(event: Event) -> None:
    """Let the north-south sides win all rounds."""
    for _round in range(12):
        build.latest(event).pairings.update(
            state=Pairing.State.DECIDED, how=Pairing.How.PLAYED, winner=0, points_0=2, decided=NOON
        )
        build.step(event, NOON)
    assert event.final_at is not None or event.ended is not None


def places(card: movement.MovementCard) -> list[tuple[object, ...]]:
    return [
        (turn.number, turn.table, turn.seat, turn.partners, turn.opponents) for turn in card.turns
    ]


def test_seats_on_paper_are_those_at_the_tables() -> None:
    event = build.event()
    build.enter(event, 9)
    build.begin(event)
    seated = {
        seat.player_id: (seat.table.pairing.number, "NESW"[seat.position])
        for table in Table.objects.filter(pairing__round__event=event)
        for seat in table.seats.select_related("table__pairing")
        if seat.player_id is not None
    }
    cards = movement.movement_cards(event, NOON)
    first = {card.player.pk: card.turns[0] for card in cards}
    assert {
        player: (turn.table, turn.seat) for player, turn in first.items() if turn.table
    } == seated
    names = {player.pk: player.name for player in Player.objects.filter(pk__in=seated)}
    round_ = sheets.present_round(event)
    assert round_ is not None
    by_name = {name: (table, seat) for name, _left, table, seat in sheets.seats_of(round_) if table}
    assert by_name == {names[player]: at for player, at in seated.items()}


def test_lists_of_a_knock_out_played_to_its_end() -> None:
    event = build.event(format="single_elimination", minimum=2)
    build.enter(event, 6)
    build.play_to_end(event)
    last = event.played_rounds.count()
    assert "Results of round 1" in sheet(event, "rounds/1/results/")
    assert "Page 1 of 1" in sheet(event, "standings/")
    assert 'class="bracket-picture"' in sheet(event, "bracket/")
    index = sheet(event, "")
    for number in range(1, last + 1):
        assert f"/print/rounds/{number}/pairings/" in index
    sheet(event, f"rounds/{last + 1}/pairings/", status=404)
    assert "score-cards/" not in index


def test_lists_take_as_many_pages_as_they_need() -> None:
    event = build.event(rounds=1)
    build.enter(event, 100)
    build.play_to_end(event)
    pages = sheet(event, "standings/")
    assert re.findall(r"Page (\d) of (\d)", pages) == [(str(n), "5") for n in range(1, 6)]
    assert len(re.findall(r'<th scope="row">', pages)) == 100
    pairings = sheet(event, "rounds/1/pairings/")
    assert pairings.count('class="paper"') == 2 + 2  # 25 tables, and 100 names


@pytest.mark.sqlite
def test_results_under_seal_are_not_printed_before_the_last_table_has_finished() -> None:
    club = build.club()
    event, ada = (
        build.event(club, format="duplicate", match="deals", deals=2, rounds=1, rated=False),
        build.director(club),
    )
    tables = build.finish_first_of_shared_deals(event)
    finished = Pairing.objects.get(table=tables[0])
    assert finished.state == Pairing.State.DECIDED
    for who in (None, ada):
        before = printed(event, who)
        assert "Finished; others still play" in before
        Pairing.objects.filter(pk=finished.pk).update(points_0=71, points_1=83)
        Game.objects.filter(table=tables[0]).update(score_0=71, score_1=83)
        assert printed(event, who) == before
        assert "71" not in before
    for table in tables[1:]:
        play_out(table)
        build.step(event, NOON)
    assert ">71<" in printed(event, None)


def printed(event: Event, who: Player | None) -> str:
    """The results as printed, without the time of printing."""
    return re.sub(r"Printed.*?<br>", "", sheet(event, "rounds/1/results/", who))
