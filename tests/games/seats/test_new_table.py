"""Making a table by the form: published games, house rules, who may come, who sits where."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from euchre_site.templatetags.look import qr
from games import rule_words
from games.engine.rules import CLASSIC_24, HEADS_UP, RULE_SETS, RuleSet, rules_to_data
from games.live import state
from games.models import Table
from games.people import limits
from games.picture import viewing
from games.seats import seating, wishes
from games.seats.forms import NewTableForm
from tests.engine.build import points_possible
from tests.factories import logged_in, player

pytestmark = pytest.mark.django_db
SEATS = {"north": "free", "east": "free", "south": "me", "west": "free"}
PLAIN = {"rules": "classic-24", "open": "yes", **SEATS}


def house(**fields: Any) -> dict[str, Any]:
    """The form with house rules as the page offers them, and some fields changed."""
    rules = {
        name: "on" if value is True else value
        for name, field in NewTableForm().house_rules.fields.items()
        if (value := field.initial) not in (None, False)
    }
    rules |= {"players": 4, "pack": 24} | fields
    if "deals" in fields or fields.get("target", 1) is None:
        rules |= {"ends": None, "deals": fields.get("deals")}
    given = {f"house-{name}": value for name, value in rules.items() if value is not None}
    return {**PLAIN, "rules": "house-rules", **given}


def made(data: dict[str, Any]) -> Table:
    """The table that the form makes for Maeve."""
    response = logged_in(player("Maeve")).post("/tables/new/", data)
    assert response.status_code == 303, response.context["form"].errors
    table = Table.objects.get()
    assert response["Location"] == f"/tables/{table.pk}/"
    return table


def names(table: Table) -> list[str]:
    """Who sits there."""
    return [seat.player.name if seat.player else "" for seat in table.seats.all()]


@pytest.mark.parametrize(
    ("calls", "old_words", "kept"),
    [
        ("", False, "order_up"),
        ("pick_up", False, "pick_up"),
        ("order_up", True, "order_up"),
        ("pick_up", True, "pick_up"),
    ],
)
def test_house_rules_have_plain_words_unless_they_say_otherwise(
    calls: str, old_words: bool, kept: str
) -> None:
    rules = made(house(calls=calls, **({"old_words": "on"} if old_words else {}))).rules
    assert (rules.old_words, rules.calls) == (old_words, kept)


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=list(RULE_SETS))
def test_a_published_game_is_made_as_it_is(rules: RuleSet) -> None:
    assert made({**PLAIN, "rules": rules.key}).rules == rules


def test_everybody_sits_where_the_form_says() -> None:
    table = made({**PLAIN, "east": "house"})
    assert names(table) == ["", "Hazel", "Maeve", ""]
    assert (table.host.name, table.open) == ("Maeve", True)


def test_heads_up_has_north_and_south_only() -> None:
    table = made({**PLAIN, "rules": "heads-up", "east": "me", "south": "me", "west": "house"})
    assert names(table) == ["", "Maeve"]


def test_a_table_by_invitation_is_not_in_the_lobby() -> None:
    assert not made({**PLAIN, "open": "no"}).open


def test_a_table_without_a_free_seat_begins() -> None:
    table = made({**PLAIN, "north": "house", "east": "house", "west": "house"})
    assert table.state == Table.State.PLAYING


def test_the_host_may_stay_without_a_seat() -> None:
    assert names(made({**PLAIN, "south": "free"})) == [""] * 4


def test_a_visitor_who_makes_a_table_becomes_a_guest() -> None:
    Client().post("/tables/new/", PLAIN)
    assert Table.objects.get().host.guest


def test_house_rules_are_made_field_by_field() -> None:
    rules = made(
        house(
            name="Club night",
            pack=25,
            packets="2 3",
            target=None,
            deals=8,
            skunk=4,
            stick_the_dealer="on",
            cut="on",
            alone=None,
        )
    ).rules
    assert rules == RuleSet(
        key="house-rules",
        name="Club night",
        pack=25,
        packets=(2, 3),
        target=None,
        deals=8,
        skunk=4,
        stick_the_dealer=True,
        cut=True,
        alone=False,
    )


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("pack", {"pack": 26}),
        ("players", {"players": 3}),
        ("packets", {"packets": "3, 3"}),
        ("packets", {"packets": "three"}),
        ("packets", {"packets": "-1, 6"}),
        ("target", {"target": 0}),
        ("target", {"target": 10**30}),
        ("target", {"deals": 8}),
        ("target", {"target": None}),
        ("deals", {"target": None, "deals": 1000}),
        ("march", {"march": 0}),
        ("alone_march", {"alone_march": 99}),
        ("skunk", {"skunk": 1}),
        ("euchre", {"euchre": "many"}),
        ("alone", {"players": 2}),
        ("joker_turned_up", {"joker_turned_up": "dealer_makes"}),
        ("name", {"name": "x" * 41}),
    ],
)
def test_house_rules_that_make_no_sense_are_refused_by_field(
    field: str, fields: dict[str, Any]
) -> None:
    response = logged_in(player("Maeve")).post("/tables/new/", house(**fields))
    assert response.status_code == 422
    form = response.context["form"].house_rules
    assert next(iter(form.errors)) == field
    assert len(form.errors) == (2 if form.clashes else 1)
    assert response.text.count('class="wrong') == len(form.errors)
    assert not Table.objects.exists()


def test_typed_values_are_kept_when_a_form_is_refused() -> None:
    response = logged_in(player("Maeve")).post("/tables/new/", house(name="Club night", march=99))
    assert 'value="Club night"' in response.text


def test_house_rules_that_were_not_chosen_are_not_checked() -> None:
    assert made({**house(march=99), "rules": "classic-24"}).rules == CLASSIC_24


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("You can take one seat only.", {"north": "me"}),
        ("At least one seat must be for a person.", dict.fromkeys(SEATS, "house")),
        ("Choose one of those listed.", {"east": "Otto"}),
        ("Choose one of those listed.", {"rules": "poker"}),
        ("Fill this in.", {"open": ""}),
    ],
)
def test_seats_and_games_that_make_no_sense_are_refused(words: str, fields: dict[str, str]) -> None:
    response = logged_in(player("Maeve")).post("/tables/new/", PLAIN | fields)
    assert response.status_code == 422
    assert words in response.text
    assert not Table.objects.exists()


@pytest.mark.parametrize(
    ("purpose", "seats"),
    [("friends", ["free", "free", "me", "free"]), ("practice", ["house", "house", "me", "house"])],
)
def test_the_form_comes_filled_for_friends_and_for_practice(purpose: str, seats: list[str]) -> None:
    form = Client().get("/tables/new/", {"for": purpose}).context["form"]
    assert [field.value() for field in form.seats] == seats
    assert form["open"].value() == "no"


class TestPractice:
    def test_one_press_in_the_lessons_opens_a_table_with_the_house(self, client: Client) -> None:
        page = " ".join(client.get("/learn/").text.split())
        assert '<form method="post" action="/tables/practice">' in page
        answer = client.post("/tables/practice")
        at = Table.objects.get()
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/tables/{at.pk}/")
        assert (at.open, at.turn_seconds, at.rules) == (False, None, CLASSIC_24)
        assert [seat.player.kind for seat in at.seats.all() if seat.player] == [
            *("house", "house", "person", "house")
        ]
        page = client.get("/learn/").text
        assert page.index("Know the basics?") < page.index("More</h2>")

    def test_hints_and_taking_back_are_offered_there(self) -> None:
        maeve = player("Maeve")
        browser = logged_in(maeve)
        browser.post("/tables/practice")
        at = Table.objects.get()
        live = state.read(at.pk)
        assert live.is_alone_with_the_house(2)
        assert viewing.view_of(live, maeve.pk).scene.alone == 2
        page = browser.get(f"/tables/{at.pk}/").text
        assert "See what the computer would play and why" in page
        assert "In practice you can take back as often as you like" in page
        assert f"/tables/{at.pk}/" not in Client().get("/play/").text

    def test_it_is_the_game_chosen_last(self) -> None:
        browser = logged_in(player("Maeve"))
        session = browser.session
        wishes.remember(session, "heads-up", "fast")
        session.save()
        browser.post("/tables/practice")
        at = Table.objects.get()
        assert (at.rules, names(at)[1], at.turn_seconds) == (HEADS_UP, "Maeve", None)

    def test_two_presses_open_one_and_too_many_are_refused(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(seating, "DOUBLE_CLICK", timedelta(hours=1))
        browser = logged_in(player("Maeve"))
        first, again = (browser.post("/tables/practice") for _ in range(2))
        assert first.headers["Location"] == again.headers["Location"]
        monkeypatch.setattr(limits, "may_make_table", lambda _request: False)
        answer = browser.post("/tables/practice")
        assert (answer.status_code, "Many tables have been made" in answer.text) == (429, True)
        assert Table.objects.count() == 1


class TestRulesPage:
    def test_each_rule_set_is_explained_from_its_data(self) -> None:
        page = Client().get("/rules/").text
        for rules in RULE_SETS.values():
            assert f'id="{rules.key}"' in page
            assert rules.name in page
        assert "The first side with 7 points wins." in page

    @pytest.mark.parametrize(
        ("rules", "words"),
        [
            (CLASSIC_24, "5 cards each, 3 then 2."),
            (HEADS_UP, "5 cards each, one at a time."),
            (
                RULE_SETS["joker-33"],
                (
                    "5 cards each, 3 then 2, or the reverse, as the dealer chooses. "
                    "The player on the dealer’s right cuts."
                ),
            ),
            (RULE_SETS["joker-33"], "33 cards: A K Q J 10 9 8 7 of each suit, and a joker."),
            (
                RuleSet(key="x", name="X", pack=28),
                "28 cards: A K Q J 10 9 8 of each suit.",
            ),
            (
                RuleSet(key="x", name="X", pack=25, joker_turned_up="dealer_makes"),
                (
                    "The dealer names its suit before looking at any card, "
                    "and the dealer’s side are the makers at once."
                ),
            ),
            (
                RuleSet(key="x", name="X", dealer_stays=True),
                (
                    "If all pass, the hand is thrown in and the same dealer deals again. "
                    "After 3 such hands in a row the dealer must name a suit."
                ),
            ),
            (
                RuleSet(key="x", name="X", target=None, deals=8),
                "8 hands; more points win, and equal points tie.",
            ),
            (
                RuleSet(key="x", name="X", lay_down=True),
                "A hand ends when its points can no longer change.",
            ),
        ],
    )
    def test_facts_are_in_words(self, rules: RuleSet, words: str) -> None:
        assert words in dict(rule_words.facts(rules)).values()

    def test_points_are_those_of_the_rule_set(self) -> None:
        for rules in (*RULE_SETS.values(), RuleSet(key="x", name="X", skunk=4)):
            told = {points for _, points in rule_words.points(rules)}
            assert told == points_possible(rules) - {0}

    @pytest.mark.parametrize(("skunk", "more"), [(3, ", if that is more"), (4, "")])
    def test_of_two_worths_of_a_euchre_the_larger_counts(self, skunk: int, more: str) -> None:
        rules = RuleSet(key="x", name="X", skunk=skunk, alone_euchre=4)
        told = rule_words.points(rules)
        assert told[-2:] == [
            ("Euchred alone: to the other side", 4),
            (f"Without any trick{more}: to the other side", skunk),
        ]

    def test_one_hand_is_not_plural(self) -> None:
        assert rule_words.brief(RuleSet(key="x", name="X", target=None, deals=1)) == "X, 1 hand"


@pytest.mark.parametrize(
    ("chosen", "seconds"), [("12", 12), ("30", 30), ("60", 60), ("120", 120), ("never", None)]
)
def test_the_house_plays_for_an_absent_player_after_the_chosen_time(
    chosen: str, seconds: int | None
) -> None:
    assert made({**PLAIN, "house_after": chosen}).house_after == seconds


def test_the_house_plays_after_twelve_seconds_by_default() -> None:
    assert made(PLAIN).house_after == 12


@pytest.mark.parametrize("chosen", ["0", "11", "-1", "12.0", "for ever", "999999999999"])
def test_no_other_time_can_be_chosen(chosen: str) -> None:
    answer = logged_in(player("Maeve")).post("/tables/new/", {**PLAIN, "house_after": chosen})
    assert answer.status_code == 422
    assert "house_after" in answer.context["form"].errors
    assert not Table.objects.exists()


class TestInvitation:
    """Whoever sits at a table can pass its link on until the game begins."""

    def page(self, client: Client, table: Table) -> str:
        return client.get(f"/tables/{table.pk}/").content.decode()

    @pytest.mark.parametrize("open_to_all", ["no", "yes"])
    def test_the_page_has_its_code_before_the_game(self, open_to_all: str) -> None:
        table = made({**PLAIN, "open": open_to_all})
        html = self.page(logged_in(table.host), table)
        assert qr(f"http://testserver/tables/{table.pk}/join/{table.invite_token}/") in html

    def test_others_do_not(self) -> None:
        table = made({**PLAIN, "open": "no"})
        ben = logged_in(player("Ben"))
        ben.get(f"/tables/{table.pk}/join/{table.invite_token}/")
        assert table.invite_token not in self.page(ben, table)
        assert 'id="qr"' not in self.page(ben, table)

    def test_a_game_that_has_begun_takes_no_more(self) -> None:
        table = made({**PLAIN, "open": "no", "north": "house", "east": "house", "west": "house"})
        assert 'id="qr"' not in self.page(logged_in(table.host), table)


@pytest.mark.parametrize("chosen", ["strong", "steady"])
def test_house_players_are_as_strong_as_chosen(chosen: str) -> None:
    table = made({**PLAIN, "house_level": chosen})
    assert table.house_level == chosen
    page = logged_in(table.host).get(f"/tables/{table.pk}/").content.decode()
    assert f"house players: {chosen}" in page


def test_house_players_are_strong_where_nothing_is_chosen() -> None:
    assert made(PLAIN).house_level == "strong"


def test_a_table_made_before_there_was_a_choice_keeps_its_players() -> None:
    table = Table.objects.create(rules_data=rules_to_data(CLASSIC_24), host=player("Maeve"))
    assert table.house_level == "steady"
