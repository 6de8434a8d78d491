"""A player's record: its figures, the games behind each, and who sees them."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33
from games.models import Player
from tests.factories import logged_in, member, player
from tests.load.club_life import ClubLife
from tests.tournaments.build import NOON, club, joined, noted_game
from tournaments.models import Club, Pool, Rating

pytestmark = pytest.mark.django_db

PAGES = ("", "record/", "games/", "and/", "and/{other}/", "compare/")
DAY = timedelta(days=1)
LINK = re.compile(r'<a href="(/players/\d+/games/[^"]*)">(\d+)<')


def shown(path: str, to: Client | None = None, status: int = 200) -> str:
    """What a page says, without its marks."""
    return text_of(page_of(path, to, status))


def page_of(path: str, to: Client | None = None, status: int = 200) -> str:
    response = (to or Client()).get(path)
    assert response.status_code == status
    return unescape(response.content.decode())


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def four() -> tuple[Player, Player, Player, Player]:
    return member("Maeve"), member("Ben"), member("Iris"), member("Jonah")


def test_every_number_leads_to_the_games_behind_it() -> None:
    maeve, ben, iris, jonah = four()
    called: dict[str, Any] = {"called": 1, "called_1": 1, "trumps_1": 3}
    noted_game(maeve, iris, ben, jonah, made=1, marched=1, alone=1, alone_marched=1, **called)
    noted_game(maeve, iris, ben, jonah, winner=1, euchred=1, **called, at=NOON + DAY)
    noted_game(maeve, ben, iris, jonah, winner=-1, score=(5, 5), euchres=1, at=NOON + 2 * DAY)
    noted_game(maeve, jonah, rules=HEADS_UP, at=NOON + 3 * DAY)
    for path in ("", "record/", "and/", f"and/{ben.pk}/"):
        links = LINK.findall(page_of(f"/players/{maeve.pk}/{path}"))
        assert links
        for address, number in links:
            found = text_of(page_of(address))
            assert f" {number} game" in found, address


def test_record_shows_results_partners_opponents_and_calls() -> None:
    maeve, ben, iris, jonah = four()
    for number in range(3):
        noted_game(
            maeve, iris, ben, jonah, at=NOON + number * DAY, winner=int(number == 2),
            called=4, made=3, marched=1, euchred=1, alone=1, called_4=4, trumps_4=14,
            worth=20.0, worth_against=18.0,
        )  # fmt: skip
    page = shown(f"/players/{maeve.pk}/record/")
    for words in (
        "67 % of 3",  # won
        "8.7 to 7.3",  # points a game
        "9 games with a call that was made of 12 calls took three tricks or more",
        "75 %",
        "3.50",  # trumps as the dealer
        "+0.20 tricks a hand",
        "12 of 30 hands called, 40 %",
    ):
        assert words in page
    assert page.index("Ben") < page.index("Against each opponent") < page.index("Iris")


def test_heads_up_dealer_is_labelled_dealer() -> None:
    maeve, jonah = member("Maeve"), member("Jonah")
    noted_game(maeve, jonah, rules=HEADS_UP, called=2, called_2=2, trumps_2=6, made=2)
    page = shown(f"/players/{maeve.pk}/record/")
    assert "The dealer 2 calls from there 100 % 3.00" in page
    assert "Opposite the dealer 0 0 % –" in page


def test_period_and_rules_apply_everywhere_and_stay_in_urls() -> None:
    maeve, ben, iris, jonah = four()
    for number, rules in enumerate((CLASSIC_24, JOKER_33, CLASSIC_24)):
        noted_game(maeve, iris, ben, jonah, at=NOON + number * DAY, rules=rules)
    asked = "rules=Classic%2C+24+cards&from=2026-03-08&to=2026-03-09"
    page = page_of(f"/players/{maeve.pk}/record/?{asked}")
    for address, number in LINK.findall(page):
        assert "from=2026-03-08&to=2026-03-09" in address
        assert number == "1"
    assert "1 game " in shown(f"/players/{maeve.pk}/games/?{asked}")
    assert "2 game" in shown(f"/players/{maeve.pk}/games/?to=2026-03-08")
    assert "No game matches" in shown(f"/players/{maeve.pk}/games/?from=2026-03-10")


def test_the_present_season_of_a_club_is_offered_to_whoever_sees_the_club() -> None:
    maeve, hidden = member("Maeve"), club("Hidden Harts", joining=Club.Joining.INVITATION)
    joined(hidden, maeve)
    today = timezone.localdate()
    hidden.seasons.create(name="Secret spring", first_day=today, last_day=today)
    path = f"/players/{maeve.pk}/record/"
    page = page_of(path, logged_in(maeve))
    assert f"?from={today}&to={today}" in page
    assert "Secret spring" in page
    assert "Secret spring" not in page_of(path)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("from=soon", "from: “soon” is not a day: write it like 2026-11-21."),
        ("to=0001-01-01", "to: 0001-01-01 is not between the years 1900 and 2999."),
        ("from=2026-03-02&to=2026-03-01", "to: 2026-03-01 is before 2026-03-02, the first day."),
        ("rules=Poker", "rules: “Poker” is not one of: Classic, 24 cards; Stick the dealer"),
        ("result=drawn", "result: “drawn” is not one of: won, tied, lost, given-up."),
        ("call=loud", "call: “loud” is not one of: called, made, marched, euchred, alone"),
        ("seat=5", "seat: “5” is not one of: 1, 2, 3, 4."),
        ("streak=hot", "streak: “hot” is not one of: present, won, lost."),
        ("with=Ben", "with: “Ben” is not the number of a player."),
        ("against=99999999999999999999999", "against: There is no player"),
    ],
)
def test_invalid_filter_is_named(asked: str, told: str) -> None:
    maeve = member("Maeve")
    assert told in shown(f"/players/{maeve.pk}/games/?{asked}", status=400)


@pytest.mark.parametrize("page", ["record/", "and/", "compare/"])
def test_every_page_names_an_invalid_filter(page: str) -> None:
    maeve = member("Maeve")
    assert "from: “x” is not a day" in shown(f"/players/{maeve.pk}/{page}?from=x", status=400)


def test_empty_record_explains_how_to_begin() -> None:
    maeve = member("Maeve")
    for page in ("record/", "games/", "and/"):
        path = f"/players/{maeve.pk}/{page}"
        assert "has not finished a game yet" in shown(path)
        assert "Your record begins with your first finished game." in shown(path, logged_in(maeve))
    assert "belongs to no club" in shown(f"/players/{maeve.pk}/compare/")


def test_the_twenty_met_most_often_are_listed_and_lead_to_all() -> None:
    maeve, iris, jonah = member("Maeve"), member("Iris"), member("Jonah")
    partners = [player(f"Partner {number:02}") for number in range(23)]
    for partner in partners:
        noted_game(maeve, iris, partner, jonah)
    noted_game(maeve, iris, partners[22], jonah, at=NOON + DAY)
    page = page_of(f"/players/{maeve.pk}/record/?to=2026-03-08")
    path = f"/players/{maeve.pk}/and/?to=2026-03-08&as=partners"
    assert path in page
    told = text_of(page)
    assert "All, 3 more" in told
    assert sum(f"{partner.name} " in told for partner in partners) == 20
    assert told.index(partners[22].name) < told.index(partners[0].name)
    every = shown(path)
    assert "23 partners" in every
    assert all(partner.name in every for partner in partners)
    assert "Iris" not in every
    opponents = shown(f"/players/{maeve.pk}/and/?as=opponents")
    assert "2 opponents" in opponents
    assert "Partner 01" not in opponents
    told = shown(f"/players/{maeve.pk}/and/?as=friends", status=400)
    assert "as: “friends” is not one of: partners, opponents." in told


def test_games_at_other_tables_are_listed_without_a_link() -> None:
    maeve, ben, iris, jonah = four()
    open_game = noted_game(maeve, iris, ben, jonah)
    closed = noted_game(maeve, iris, ben, jonah, open_to_all=False, at=NOON + DAY)
    Player.objects.filter(pk=ben.pk).update(private=True)
    path = f"/players/{maeve.pk}/games/"
    for visitor in (Client(), logged_in(member("Otto"))):
        page = page_of(path, visitor)
        assert f"/games/{open_game.pk}/" in page
        assert str(closed.pk) not in page
        assert text_of(page).count(" Ben ") == 1, "the name stays in the log that anybody may read"
        assert "somebody private" in page
        assert "by invitation" in page
    for one in (maeve, ben, iris):
        assert f"/games/{closed.pk}/" in page_of(path, logged_in(one))


@pytest.mark.parametrize("page", PAGES)
def test_private_record_is_hidden_from_others(page: str) -> None:
    maeve, ben, iris, jonah = four()
    at = club()
    for one in (maeve, ben, iris, jonah):
        joined(at, one)
    noted_game(maeve, iris, ben, jonah, score=(10, 9))
    Rating.objects.create(
        pool=Pool.objects.create(key="classic online"), player=maeve, mu=1666.0, sigma=80.0,
        games=30, latest=timezone.now(),
    )  # fmt: skip
    Player.objects.filter(pk=maeve.pk).update(private=True)
    path = f"/players/{maeve.pk}/{page.format(other=ben.pk)}"
    staff = member("Nora")
    staff.user.is_staff = True  # type: ignore[union-attr]
    staff.user.save()  # type: ignore[union-attr]
    for visitor in (Client(), logged_in(ben), logged_in(staff)):
        told = shown(path, visitor)
        assert "Maeve keeps their record private." in told
        assert not re.search("1666|10–9|The Old Mill|Jonah", told)
    assert "keeps their record private" not in shown(path, logged_in(maeve))


def test_other_records_omit_a_private_player() -> None:
    maeve, ben, iris, jonah = four()
    noted_game(maeve, iris, ben, jonah)
    Player.objects.filter(pk=ben.pk).update(private=True)
    for visitor in (Client(), logged_in(maeve)):
        for page in ("record/", "and/"):
            told = shown(f"/players/{maeve.pk}/{page}", visitor)
            assert not re.search(r"\bBen\b", told)  # the Benny is a rule set
        assert "Players with a private record are not listed" in shown(
            f"/players/{maeve.pk}/record/", visitor
        )
        both = shown(f"/players/{maeve.pk}/and/{ben.pk}/", visitor)
        assert "Ben keeps their record private." in both
        assert "Maeve" not in both.replace("Maeve : name", "")
        by_ben = f"/players/{maeve.pk}/games/?with={ben.pk}"
        assert "with: Ben keeps their record private." in shown(by_ben, visitor, 400)
    assert "Ben" in shown(f"/players/{maeve.pk}/record/", logged_in(ben))
    assert "As partners" in shown(f"/players/{ben.pk}/and/{maeve.pk}/", logged_in(ben))


@pytest.mark.parametrize("page", PAGES[1:])
def test_house_players_have_no_record(page: str) -> None:
    house = Player.objects.create(name="Old Tom", kind=Player.Kind.HOUSE)
    path = f"/players/{house.pk}/{page.format(other=member('Ben').pk)}"
    assert "House players have no record" in shown(path)


def test_guests_house_players_and_programs_are_marked() -> None:
    maeve, guest = member("Maeve"), player("Quiet Heron")
    house = Player.objects.create(name="Old Tom", kind=Player.Kind.HOUSE)
    program = Player.objects.create(name="Rook", kind=Player.Kind.PROGRAM)
    noted_game(maeve, guest, house, program)
    for page in ("record/", "and/"):
        told = shown(f"/players/{maeve.pk}/{page}")
        for words in ("Old Tom House", "Quiet Heron Guest", "Rook Program"):
            assert words in told
    assert "Guest" in shown(f"/players/{guest.pk}/record/")
    assert "Program" in shown(f"/players/{program.pk}/record/")


def test_head_to_head_shows_partners_and_opponents() -> None:
    maeve, ben, iris, jonah = four()
    noted_game(maeve, iris, ben, jonah)
    noted_game(maeve, iris, ben, jonah, at=NOON + DAY, winner=1)
    noted_game(maeve, ben, iris, jonah, at=NOON + 40 * DAY)
    pool = Pool.objects.create(key="classic online")
    for one, mu in ((maeve, 1612.0), (ben, 1487.0)):
        Rating.objects.create(
            pool=pool, player=one, mu=mu, sigma=80.0, games=30, latest=timezone.now()
        )
    told = shown(f"/players/{maeve.pk}/and/{ben.pk}/")
    for words in ("1–1 50 % of 2 won", "1–0 100 % of 1 won by Maeve", "1612", "1487"):
        assert words in told
    assert "Apr 2026 – 1–0 as opponents" in told
    assert "Mar 2026 1–1 as partners –" in told
    other_way = shown(f"/players/{ben.pk}/and/{maeve.pk}/")
    assert "0–1 0 % of 1 won by Ben" in other_way
    assert "Never in these games." in shown(f"/players/{maeve.pk}/and/{iris.pk}/?to=2026-03-08")


def test_head_to_head_needs_another_known_player() -> None:
    maeve = member("Maeve")
    for other in (maeve.pk, 12345):
        assert Client().get(f"/players/{maeve.pk}/and/{other}/").status_code == 404
    for page in PAGES[1:]:
        assert Client().get(f"/players/12345/{page.format(other=1)}").status_code == 404


def test_visitor_gets_a_head_to_head_link() -> None:
    maeve, ben = member("Maeve"), member("Ben")
    path = f"/players/{ben.pk}/and/{maeve.pk}/"
    assert path in page_of(f"/players/{maeve.pk}/", logged_in(ben))
    assert "/and/" not in page_of(f"/players/{maeve.pk}/").replace(f"/players/{maeve.pk}/and/", "")


def compared(name: str, told: str) -> str:
    """The figures of a line: the player's, the club's, the difference, of how many."""
    found = re.search(rf"{name} (.*?) (games|calls|hands|lone hands)( few)?\b", told)
    assert found
    return found[1].replace("\N{NO-BREAK SPACE}", " ") + (found[3] or "")


def test_player_compared_with_their_club() -> None:
    maeve, ben, iris, jonah = four()
    at = club()
    for one in (maeve, ben, iris):
        joined(at, one)
    for number in range(20):
        noted_game(
            maeve, iris, ben, jonah, winner=int(number >= 15), at=NOON + number * DAY,
            called=2, made=1, euchred=1, called_1=2, trumps_1=6,
        )  # fmt: skip
    told = shown(f"/players/{maeve.pk}/compare/")
    # Maeve and Ben won 15 of 20, Iris 5; Jonah is no member.
    assert compared("Games won", told) == "75.0 % 58.3 % +16.7 20"
    assert compared("Hands called", told) == "20.0 % 6.7 % +13.3 200"
    assert compared("Calls made", told) == "50.0 % 50.0 % 0.0 40"
    assert compared("Lone hands with a march", told) == "– – – 0 few"
    assert "20 games. The club: all games of 3 members" in told
    one_day = shown(f"/players/{maeve.pk}/compare/?to=2026-03-07")
    assert compared("Games won", one_day) == "100.0 % 66.7 % +33.3 1 few"


def test_average_of_few_members_is_hidden() -> None:
    maeve, ben, iris, jonah = four()
    at = club()
    for one in (maeve, ben, iris):
        joined(at, one)
    noted_game(maeve, iris, ben, jonah)
    Player.objects.filter(pk=iris.pk).update(private=True)
    told = shown(f"/players/{maeve.pk}/compare/")
    assert "needs at least three members" in told
    assert "there are 2." in told
    assert "Games won" not in told


def test_clubs_to_compare_with_are_those_the_visitor_sees() -> None:
    maeve = member("Maeve")
    hidden = club("Hidden Harts", joining=Club.Joining.INVITATION)
    for one in (hidden, club()):
        joined(one, maeve)
    path = f"/players/{maeve.pk}/compare/"
    assert "Hidden Harts" in shown(path, logged_in(maeve))
    assert "Hidden Harts" not in shown(path)
    told = shown(f"{path}?club={hidden.slug}", status=400)
    assert f"club: “{hidden.slug}” is not one of: the-old-mill." in told


@pytest.mark.parametrize("page", [*PAGES, "games/?result=won&with={other}", "and/?as=partners"])
def test_no_page_takes_many_queries(page: str) -> None:
    ClubLife(players=60, games=400, now=timezone.now()).write()
    visitor = logged_in(Player.objects.get(pk=2))
    path = f"/players/1/{page.format(other=3)}"
    shown(path, visitor)
    with CaptureQueriesContext(connection) as queries:
        told = shown(path, visitor)
    assert "Maeve" in told
    assert len(queries) <= 19  # of the profile: who has won, friends, achievements
