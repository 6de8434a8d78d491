"""Lines of a club's list that are one person: joined and parted, claimed, put right, forgotten."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from games.records.game_lists import rows_of
from tests.factories import logged_in, member
from tests.tournaments import build
from tests.tournaments.build import NOON, ruled
from tournaments.acts import correcting, undoing
from tournaments.attendance import claiming, newcomers, on_paper, same_person, walk_ins
from tournaments.importing import club_list, invitations
from tournaments.models import Club, DivisionPlayer, Entry, Event, ListedName, Pairing, WalkIn
from tournaments.outbox import letters
from tournaments.refusals import RefusedError
from tournaments.seasons import season_table, seasons

pytestmark = pytest.mark.django_db


def club_of(ada: Player) -> Club:
    return ada.memberships.get().club


def played(ada: Player, *names: str, entry_money: int = 0) -> Event:
    """A night in the room of one round with three guests and these people on paper."""
    number = Event.objects.count()
    event = build.event(
        club_of(ada), name=f"Night {number}", rounds=1, place=Event.Place.ROOM,
        format="progressive", entry_money=entry_money, starts=NOON + timedelta(days=7 * number),
    )  # fmt: skip
    build.enter(event, 4 - len(names))
    for name in names:
        newcomers.enter(event, [name], ada, NOON)
    build.begin(event)
    for match in Pairing.objects.filter(round__event=event):
        correcting.set_result(match, ada, ruled(0, (5, 3)), reason="", now=NOON)
    build.step(event, NOON)
    assert event.state == Event.State.FINISHED
    return event


def line(name: str) -> ListedName:
    return ListedName.objects.get(name=name)


def table(ada: Player) -> dict[str, tuple[int, int]]:
    """The events and points of each person on paper in the season."""
    rows = season_table.table(club_of(ada), seasons.year(2026))
    return {row.player.name: (row.events, row.points) for row in rows if len(row.player.name) > 2}


@pytest.fixture
def two_lines(ada: Player) -> tuple[ListedName, ListedName]:
    """Wim Tarrant, on paper for two nights, for one of them as W. Tarrant."""
    played(ada, "Wim Tarrant")
    played(ada, "W. Tarrant")
    return line("Wim Tarrant"), line("W. Tarrant")


Two = tuple[ListedName, ListedName]


def test_joined_lines_are_one_in_the_season_and_the_games(ada: Player, two_lines: Two) -> None:
    wim, other = two_lines
    before = table(ada)
    same_person.join(wim, other)
    assert table(ada) == {
        "Wim Tarrant": tuple(
            one + two for one, two in zip(before["Wim Tarrant"], before["W. Tarrant"], strict=True)
        )
    }
    assert wim.plays_as is not None
    assert len(rows_of(wim.plays_as)) == 2
    newcomers.enter(played_before(ada), ["W. Tarrant"], ada, NOON)
    assert wim.plays_as.walk_ins.count() == 3, "the other name is the same person from then on"
    other.refresh_from_db()
    same_person.part(other)
    assert table(ada) == before
    assert other.plays_as is not None
    assert (wim.plays_as.walk_ins.count(), other.plays_as.walk_ins.count()) == (2, 1)


def played_before(ada: Player) -> Event:
    event = build.event(club_of(ada), place=Event.Place.ROOM, format="progressive")
    build.enter(event, 3)
    return event


def test_places_in_divisions_go_along_and_come_back(ada: Player, two_lines: Two) -> None:
    wim, other = two_lines
    season = club_of(ada).seasons.create(name="S", first_day="2026-01-01", last_day="2026-12-31")
    division = season.divisions.create(number=1, name="First")
    seat = DivisionPlayer.objects.create(
        season=season, division=division, player_id=other.plays_as_id or 0
    )
    same_person.join(wim, other)
    seat.refresh_from_db()
    assert seat.player_id == wim.plays_as_id
    same_person.part(ListedName.objects.get(pk=other.pk))
    seat.refresh_from_db()
    assert seat.player_id == other.plays_as_id


def test_a_line_that_was_joined_to_comes_back_with_its_own(ada: Player, two_lines: Two) -> None:
    wim, other = two_lines
    played(ada, "Bill")
    same_person.join(other, line("Bill"))
    same_person.join(wim, ListedName.objects.get(pk=other.pk))
    assert list(table(ada)) == ["Wim Tarrant"]
    same_person.part(ListedName.objects.get(pk=other.pk))
    assert {name: events for name, (events, _points) in table(ada).items()} == {
        "Wim Tarrant": 1,
        "W. Tarrant": 2,
    }
    same_person.part(line("Bill"))
    assert len(table(ada)) == 3


def test_lines_that_were_joined_one_after_another_part_in_any_order(
    ada: Player, two_lines: Two
) -> None:
    wim, other = two_lines
    played(ada, "Bill")
    season = club_of(ada).seasons.create(name="S", first_day="2025-01-01", last_day="2025-12-31")
    division = season.divisions.create(number=1, name="First")
    seat = DivisionPlayer.objects.create(
        season=season, division=division, player_id=line("Bill").plays_as_id or 0
    )
    before = table(ada)
    same_person.join(other, line("Bill"))
    same_person.join(wim, line("W. Tarrant"))
    same_person.part(line("Bill"))
    same_person.part(line("W. Tarrant"))
    assert (table(ada), line("Bill").joined_to) == (before, None)
    seat.refresh_from_db()
    assert seat.player_id == line("Bill").plays_as_id


def test_a_line_joined_again_by_itself_stays_when_another_is_parted(
    ada: Player, two_lines: Two
) -> None:
    wim, other = two_lines
    played(ada, "Bill")
    same_person.join(other, line("Bill"))
    same_person.join(wim, line("W. Tarrant"))
    same_person.part(line("Bill"))
    same_person.join(wim, line("Bill"))
    same_person.part(line("W. Tarrant"))
    assert line("Bill").joined_to == wim
    assert {name: events for name, (events, _points) in table(ada).items()} == {
        "Wim Tarrant": 2,
        "W. Tarrant": 1,
    }


@pytest.mark.parametrize("verb", ["join", "part", "rename", "forget", "claim"])
def test_a_night_entered_at_the_same_moment_is_not_lost(
    ada: Player, two_lines: Two, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    wim, other = two_lines
    if verb == "part":
        same_person.join(wim, other)
    held = on_paper.held

    def enters_first(row: ListedName) -> ListedName:
        monkeypatch.setattr(on_paper, "held", held)
        newcomers.enter(played_before(ada), ["W. Tarrant"], ada, NOON)
        return held(row)

    monkeypatch.setattr(on_paper, "held", enters_first)
    with pytest.raises(RefusedError, match="is being entered just now: try again"):
        {
            "join": lambda: same_person.join(wim, other),
            "part": lambda: same_person.part(line("W. Tarrant")),
            "rename": lambda: same_person.rename(other, "Willem"),
            "forget": lambda: same_person.forget(other),
            "claim": lambda: claiming.claim_line(other, member("Otto"), NOON),
        }[verb]()


def test_nobody_is_left_behind_in_a_division(ada: Player, two_lines: Two) -> None:
    wim, other = two_lines
    season = club_of(ada).seasons.create(name="S", first_day="2026-01-01", last_day="2026-12-31")
    division, otto = season.divisions.create(number=1, name="First"), member("Otto")
    for key in (wim.plays_as_id, other.plays_as_id, otto.pk):
        DivisionPlayer.objects.create(season=season, division=division, player_id=key or 0)
    with pytest.raises(RefusedError, match="Both have a place in a division or team of S"):
        same_person.join(wim, other)
    assert "Not possible: Both have a place" in logged_in(ada).get(path_of(wim), {"q": "tarr"}).text
    with pytest.raises(RefusedError, match="Otto has a place in a division or team of S"):
        claiming.claim_line(wim, otto, NOON)
    division.players.exclude(player=wim.plays_as).delete()
    same_person.join(wim, line("W. Tarrant"))
    claiming.claim_line(wim, otto, NOON)
    assert [one.player for one in division.players.all()] == [otto]


def test_who_played_on_one_night_are_two_people(ada: Player) -> None:
    played(ada, "Wim", "Ben")
    with pytest.raises(RefusedError, match="Both played on 7 March 2026"):
        same_person.join(line("Wim"), line("Ben"))
    browser = logged_in(ada)
    page = browser.get(path_of(line("Wim")), {"q": "ben"}).text
    assert "Not possible: Both played on 7 March 2026." in page


def path_of(row: ListedName) -> str:
    return reverse("listed_person", args=[row.club.slug, row.pk])


def change(browser: Client, row: ListedName, do: str, **fields: object) -> Any:
    data = {"do": do, **fields}
    return browser.post(reverse("change_listed", args=[row.club.slug, row.pk]), data)


def test_the_page_joins_as_it_has_shown_and_parts(ada: Player, two_lines: Two) -> None:
    wim, other = two_lines
    browser, before = logged_in(ada), table(ada)
    page = browser.get(path_of(wim), {"q": "tarr", "other": str(other.pk)})
    assert "<s>1 and 1</s>" in page.text
    assert "W. Tarrant’s line" in page.text
    assert table(ada) == before, "nothing is done by looking"
    stale = change(browser, wim, "join", other=other.pk, seen="0")
    assert stale.status_code == 409
    change(browser, wim, "join", other=other.pk, seen=page.context["preview"].digest)
    assert list(table(ada)) == ["Wim Tarrant"]
    assert "1 night joined" in browser.get(path_of(wim)).text
    change(browser, wim, "part", other=other.pk)
    assert table(ada) == before


def test_the_page_has_nights_and_money_and_who_was_met(ada: Player) -> None:
    event = played(ada, "Wim", entry_money=500)
    browser, wim = logged_in(ada), line("Wim")
    page = browser.get(path_of(wim)).text
    assert "Take 5.00" in page
    assert "Most often at the table with" in page
    entry = event.entries.get(players__player=wim.plays_as)
    change(browser, wim, "paid", entry=entry.pk)
    assert "Take 5.00" not in browser.get(path_of(wim)).text
    assert path_of(wim) in browser.get(reverse("members_list", args=[wim.club.slug])).text


def test_a_line_that_was_joined_leads_to_the_person(ada: Player, two_lines: Two) -> None:
    wim, other = two_lines
    same_person.join(wim, other)
    browser = logged_in(ada)
    answer = browser.get(path_of(other))
    assert (answer.status_code, answer["Location"]) == (302, path_of(wim))
    assert change(browser, other, "name", name="Willem").status_code == 409


def test_the_page_speaks_of_the_log_only_if_there_are_nights(ada: Player) -> None:
    played(ada, "Wim")
    club_of(ada).listed_names.create(name="Anna")
    pages = [logged_in(ada).get(path_of(line(name))).text for name in ("Wim", "Anna")]
    assert ["a director can take it back there" in page for page in pages] == [True, False]


def test_whom_a_private_account_has_met_is_its_own(ada: Player) -> None:
    event, browser, otto = played(ada, "Wim"), logged_in(ada), member("Otto")
    claiming.claim(event.walk_ins.get(), otto, NOON)
    assert "Most often at the table with" in browser.get(path_of(line("Wim"))).text
    Player.objects.filter(pk=otto.pk).update(private=True)
    assert "Most often at the table with" not in browser.get(path_of(line("Wim"))).text


# Handing over --------------------------------------------------------------------------------


def test_a_code_is_shown_once_and_claims_all_nights(ada: Player, two_lines: Two) -> None:
    wim, other = two_lines
    same_person.join(wim, other)
    shown = change(logged_in(ada), wim, "code")
    code = shown.context["code"]
    assert code not in logged_in(ada).get(path_of(wim)).text
    path, otto = reverse("walk_in", args=[code]), member("Otto")
    assert "Night 0" in Client().get(path).text
    assert Client().post(path).status_code == 403
    assert logged_in(otto).post(path).status_code == 303
    assert list(table(ada)) == ["Otto"]
    assert len(rows_of(otto)) == 2
    assert club_of(ada).memberships.filter(player=otto).exists()
    assert Client().get(path).status_code == 404, "it works once"
    other.refresh_from_db()
    with pytest.raises(RefusedError, match="they stay together"):
        same_person.part(other)


def test_a_code_of_a_line_that_was_joined_since_claims_all_nights(
    ada: Player, two_lines: Two
) -> None:
    wim, other = two_lines
    path, otto = reverse("walk_in", args=[same_person.renew_code(other, timezone.now())]), member()
    same_person.join(wim, other)
    assert "Night 0" in Client().get(path).text
    assert logged_in(otto).post(path).status_code == 303
    assert len(rows_of(otto)) == 2
    assert set(ListedName.objects.values_list("player", flat=True)) == {otto.pk}


def test_a_code_works_for_thirty_days(ada: Player, two_lines: Two) -> None:
    code = same_person.renew_code(two_lines[0], timezone.now() - timedelta(days=30))
    assert same_person.by_code(code) is None
    again = same_person.renew_code(two_lines[0], timezone.now() - timedelta(days=29))
    assert same_person.by_code(again) == two_lines[0]


def test_the_invitation_claims_all_nights(ada: Player) -> None:
    played(ada, "Wim")
    wim, browser = line("Wim"), logged_in(ada)
    assert change(browser, wim, "invite", email="wim").status_code == 422
    user = ada.user
    assert user is not None
    EmailAddress.objects.get_or_create(user=user, email=user.email, verified=True, primary=True)
    change(browser, wim, "invite", email="wim@example.org")
    letters.send_due()
    wim.refresh_from_db()
    assert wim.key in mail.outbox[-1].body
    otto = member("Otto")
    invitations.accept(wim, otto)
    assert list(table(ada)) == ["Otto"]


def test_the_invitation_of_a_line_that_was_joined_claims_all_nights(
    ada: Player, two_lines: Two
) -> None:
    wim, otto = two_lines[0], member("Otto")
    invited = club_of(ada).listed_names.create(name="Anna", email="anna@example.org")
    same_person.join(wim, invited)
    invitations.accept(line("Anna"), otto)
    assert set(table(ada)) == {"W. Tarrant", "Otto"}
    assert len(rows_of(otto)) == 1
    wim.refresh_from_db()
    assert wim.player == otto


def test_a_claim_is_taken_back_on_all_nights(ada: Player) -> None:
    first, second = played(ada, "Wim"), played(ada, "Wim")
    before, otto = table(ada), member("Otto")
    claiming.claim(first.walk_ins.get(), otto, NOON)
    assert {name: events for name, (events, _) in table(ada).items()} == {"Otto": 2}
    newcomers.enter(played_before(ada), ["Wim"], ada, NOON)
    assert otto.entries.count() == 3, "the name is the account's from then on"
    undoing.undo(second.acts.latest("pk"), ada, NOON)
    assert table(ada) == before
    assert not WalkIn.objects.exclude(claimed_by=None).exists()
    act = first.acts.get(kind="claim")
    with pytest.raises(RefusedError, match="has undone this already"):
        undoing.undo(act, ada, NOON)
    claiming.claim(first.walk_ins.get(), otto, NOON)


def test_nobody_claims_nights_on_one_of_which_they_played(ada: Player) -> None:
    otto = member("Otto")
    event = played_before(ada)
    build.joined(event.club, otto)
    newcomers.enter(event, [otto], ada, NOON)
    newcomers.enter(event, ["Wim"], ada, NOON)
    first = played(ada, "Wim")
    with pytest.raises(RefusedError, match="Otto is in Thursday euchre of 7 March 2026 already"):
        claiming.claim(first.walk_ins.get(), otto, NOON)
    assert not WalkIn.objects.exclude(claimed_by=None).exists()


@pytest.mark.parametrize("who", ["Otto", "Wim"])
def test_who_withdrew_before_the_start_has_not_played(ada: Player, who: str) -> None:
    otto, event = member("Otto"), played_before(ada)
    build.joined(event.club, otto)
    entries = {"Otto": newcomers.enter(event, [otto], ada, NOON)}
    entries["Wim"] = newcomers.enter(event, ["Wim"], ada, NOON)
    entries[who].players.update(active=False)
    Entry.objects.filter(pk=entries[who].pk).update(state=Entry.State.WITHDRAWN)
    assert claiming.why_not(event.walk_ins.get(), otto, NOON) == ""
    seats = dict(event.entered_players.values_list("pk", "player"))
    claiming.claim(event.walk_ins.get(), otto, NOON)
    assert event.entered_players.filter(player=otto, active=True).count() == 1
    assert event.entered_players.filter(player=otto).count() == 2
    undoing.undo(event.acts.get(kind="claim"), ada, NOON)
    assert dict(event.entered_players.values_list("pk", "player")) == seats, "each has their own"


def test_who_claimed_without_becoming_a_member_has_not_left(ada: Player) -> None:
    event, otto = played(ada, "Wim"), member("Otto")
    Club.objects.update(joining=Club.Joining.APPROVAL)
    claiming.claim(WalkIn.objects.get(event=event), otto, NOON)
    status = [row["status"] for row in club_list.rows(club_of(ada)) if row["name"] == "Wim"]
    assert status == ["claimed"]


# Names and deletion ---------------------------------------------------------------------------


def test_a_name_is_put_right_on_all_nights(ada: Player) -> None:
    first = played(ada, "Wim", "Ben")
    played(ada, "Wim")
    browser, wim = logged_in(ada), line("Wim")
    refused = change(browser, wim, "name", name="ben")
    assert refused.status_code == 409
    change(browser, wim, "name", name="Willem")
    assert {"Willem", "Ben"} == set(table(ada))
    assert line("Willem") == wim
    assert not first.notices.filter(text__contains="Wim").exists()


def test_a_name_put_right_at_an_event_is_put_right_on_all_nights(ada: Player) -> None:
    played(ada, "Wim", "Ben")
    event = played(ada, "Wim")
    walk_in = event.walk_ins.get()
    with pytest.raises(RefusedError, match="Somebody called Ben is in the event already"):
        walk_ins.rename(walk_in, "Ben", ada, reason="So.", now=NOON)
    walk_ins.rename(walk_in, "Willem", ada, reason="So.", now=NOON)
    assert {"Willem", "Ben"} == set(table(ada))


def test_a_number_for_a_name_is_free_on_all_nights(ada: Player) -> None:
    played(ada, "Wim", "Walk-in 1", "Walk-in 2")
    walk_in = played(ada, "Wim").walk_ins.get()
    walk_ins.rename(walk_in, "", ada, reason="So.", now=NOON)
    assert line("Walk-in 3").plays_as_id == walk_in.player_id


def test_who_is_taken_off_the_list_is_a_former_player(ada: Player, two_lines: Two) -> None:
    wim, other = two_lines
    same_person.join(wim, other)
    ListedName.objects.filter(pk=wim.pk).update(email="wim@example.org")
    season = club_of(ada).seasons.create(name="S", first_day="2026-01-01", last_day="2026-12-31")
    change_of_season = season.changes.create(by=ada, words="Second → First: Wim Tarrant.")
    club_list.remove(club_of(ada), wim.pk)
    change_of_season.refresh_from_db()
    assert not ListedName.objects.exists()
    player = Player.objects.get(pk=wim.plays_as_id or 0)
    assert (player.name, player.former) == (f"Former player {player.pk}", True)
    assert not Player.objects.filter(name__contains="Tarrant").exists()
    assert change_of_season.words == f"Second → First: {player.name}."
    assert table(ada)[player.name][0] == 2


def test_who_declines_an_invitation_keeps_the_nights_on_paper(ada: Player) -> None:
    played(ada, "Wim")
    wim = line("Wim")
    wim.email = "wim@example.org"
    wim.save()
    invitations.decline(wim)
    wim.refresh_from_db()
    assert (wim.email, table(ada)["Wim"][0]) == ("", 1)


def test_nothing_of_the_list_is_public(ada: Player, two_lines: Two) -> None:
    wim, _other = two_lines
    for browser in (Client(), logged_in(member("Otto"))):
        assert browser.get(path_of(wim)).status_code == 403
        assert change(browser, wim, "code").status_code == 403
