"""A club's list: who is invited, who is on paper, and that nobody joins without saying yes."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from games.models import Player
from tests.factories import confirmed, logged_in, member
from tests.tournaments import build
from tests.tournaments.build import club, joined
from tests.volume import scaled
from tournaments import tasks
from tournaments.changes.row_locks import locked_club
from tournaments.importing import club_list, invitations
from tournaments.importing.plans import ChangedSinceError
from tournaments.importing.sheets import Sheet, read
from tournaments.models import Club, Letter, ListedName, Membership
from tournaments.outbox import letters
from tournaments.spreadsheets import cell, csv_text

pytestmark = [pytest.mark.django_db, pytest.mark.db]
LIST = "name,email\nKit Cole,kit@example.org\nZoë,\n"
PAGE = "/clubs/the-old-mill/list/"


def director(of: Club) -> Player:
    return confirmed(build.director(of))


def sheet(text: str) -> Sheet:
    return read(text.encode(), club_list.COLUMNS)


def imported(to: Club, text: str, by: Player) -> list[str]:
    """What the lines of a list have done."""
    now = timezone.now()
    shown = club_list.plan(to, sheet(text), by, now)
    assert not shown.problems
    done = club_list.carry_out(to, sheet(text), shown.digest, by, now)
    return [step.what for step in done.steps]


def problems(of: Club, text: str, by: Player) -> list[tuple[int, str, str]]:
    found = club_list.plan(of, sheet(text), by, timezone.now()).problems
    return [(one.number, one.column, one.words) for one in found]


def status(of: Club) -> dict[str, str]:
    return {row["name"]: row["status"] for row in club_list.rows(of)}


def test_invited_and_on_paper_but_nobody_is_a_member() -> None:
    mill = club()
    ada = director(mill)
    assert imported(mill, LIST, ada) == ["is invited", "on paper"]
    assert status(mill) == {"Ada": "member", "Kit Cole": "invited", "Zoë": "on paper"}
    assert mill.memberships.count() == 1
    letters.send_due()
    (letter,) = mail.outbox
    assert letter.to == ["kit@example.org"]
    assert "Ada of The Old Mill" in letter.body
    assert f"/clubs/the-old-mill/invited/{ListedName.objects.get(name='Kit Cole').key}/" in (
        str(letter.body)
    )
    assert "Kit" not in letter.body.replace("kit@", "")  # a list puts no words into letters


def test_a_list_that_is_sent_twice_does_nothing_the_second_time() -> None:
    mill = club()
    ada = director(mill)
    now = timezone.now()
    shown = club_list.plan(mill, sheet(LIST), ada, now)
    for _time in range(2):
        club_list.carry_out(mill, sheet(LIST), shown.digest, ada, now)
    assert ListedName.objects.count() == 2
    assert Letter.objects.count() == 1
    assert imported(mill, LIST, ada) == ["stays", "stays"]


def test_what_was_not_shown_is_not_done() -> None:
    mill = club()
    ada = director(mill)
    shown = club_list.plan(mill, sheet(LIST), ada, timezone.now())
    imported(mill, "name,email\nZoë,\n", ada)
    with pytest.raises(ChangedSinceError):
        club_list.carry_out(mill, sheet(LIST), shown.digest, ada, timezone.now())
    assert status(mill) == {"Ada": "member", "Zoë": "on paper"}


def test_every_problem_is_named_by_line_and_nothing_is_done() -> None:
    mill = club()
    ada = director(mill)
    text = (
        "name,email,role,player\n"
        "Kit,kit@example.org,,\n"
        ",ben@example.org,,\n"
        "Ben,ben at home,,\n"
        "Kit again,KIT@example.org,,\n"
        "=SUM(A1),,,\n"
        "Iris,,director,\n"
        "Ivy,,,99999\n"
        f"Ada,,owner,{ada.pk}\n"
        f"{'x' * 61},,,\n"
        "iris,,,\n"
        "Iris,,,\n"
    )
    found = problems(mill, text, ada)
    assert [one[:2] for one in found] == [
        (3, "name"),
        (4, "email"),
        (5, "email"),
        (6, "name"),
        (7, "role"),
        (8, "player"),
        (9, "role"),
        (10, "name"),
        (11, "name"),
        (12, "name"),
    ]
    words = " ".join(one[2] for one in found)
    for part in (
        "There is no name",
        "One looks like kit@example.org",
        "“kit@example.org” is in line 2 already",
        "begins with a letter or a digit, not with “=”",
        "gives no roles, such as “director”",
        "No member has the number “99999”",
        "has more than 60 characters",
        "“Iris” is in line 7 already. Add something to tell the two apart",
    ):
        assert part in words
    response = logged_in(ada).post(PAGE, {"text": text})
    assert response.status_code == 422
    assert "Line 5, email:" in response.text
    assert not ListedName.objects.exists()


def test_a_member_of_that_name_stays() -> None:
    mill = club()
    assert imported(mill, "name\nADA\n", director(mill)) == ["stays"]


@pytest.mark.parametrize("account", [True, False])
def test_nobody_learns_from_a_list_who_has_an_account(account: bool) -> None:
    mill = club()
    ada = director(mill)
    if account:
        joined(mill, member("Kit"))
    assert imported(mill, "name,email\nKit Cole,kit@example.com\n", ada) == ["is invited"]
    assert status(mill)["Kit Cole"] == "invited"


def answer(row: ListedName, said: str, who: Player | None = None) -> Any:
    browser = logged_in(who) if who else Client()
    return browser.post(f"/clubs/the-old-mill/invited/{row.key}/", {"answer": said})


def test_yes_makes_a_member_even_in_a_closed_circle() -> None:
    mill = club(joining=Club.Joining.INVITATION)
    ada, kit = director(mill), member("Kit")
    imported(mill, LIST, ada)
    row = mill.listed_names.get(name="Kit Cole")
    page = logged_in(kit).get(f"/clubs/the-old-mill/invited/{row.key}/")
    assert "The Old Mill invites you" in page.text
    assert mill.memberships.count() == 1  # looking at it says nothing
    assert answer(row, "yes", kit)["Location"] == "/clubs/the-old-mill/"
    assert status(mill) == {"Ada": "member", "Kit": "member", "Zoë": "on paper"}
    again = answer(row, "no", kit)
    assert again.status_code == 409
    assert "has been answered or taken back" in again.text
    assert imported(mill, LIST, ada) == ["stays", "stays"]


def test_yes_needs_an_account() -> None:
    mill = club()
    imported(mill, LIST, director(mill))
    row = mill.listed_names.get(name="Kit Cole")
    response = answer(row, "yes")
    assert response.status_code == 403
    assert f"/invited/{row.key}/" in response.text
    assert answer(row, "maybe").status_code == 422


@pytest.mark.parametrize(("said", "elsewhere"), [("no", "is invited"), ("never", "not invited")])
def test_who_says_no_is_not_asked_again(said: str, elsewhere: str, settings: Any) -> None:
    mill, lake = club(), club("Lakeside")
    ada = director(mill)
    imported(mill, LIST, ada)
    assert answer(mill.listed_names.get(name="Kit Cole"), said).status_code == 303
    assert status(mill) == {"Ada": "member", "Zoë": "on paper"}
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", [settings.SECRET_KEY]
    assert imported(mill, LIST, ada) == ["not invited", "stays"]
    assert imported(lake, LIST, ada) == [elsewhere, "on paper"]


def test_who_has_left_is_not_invited_again() -> None:
    mill = club()
    ada, kit = director(mill), member("Kit")
    imported(mill, LIST, ada)
    answer(mill.listed_names.get(name="Kit Cole"), "yes", kit)
    logged_in(kit).post("/clubs/the-old-mill/leave")
    assert status(mill)["Kit Cole"] == "left"
    assert imported(mill, LIST, ada) == ["stays", "stays"]
    exported = club_list.as_csv(mill)
    mill.listed_names.all().delete()
    assert imported(mill, exported, ada) == ["stays", "not invited", "on paper"]


def test_an_import_is_taken_back() -> None:
    mill = club()
    ada, kit = director(mill), member("Kit")
    imported(mill, "name\nOtto\n", ada)
    imported(mill, f"{LIST}Ben,ben@example.org\n", ada)
    answer(mill.listed_names.get(name="Kit Cole"), "yes", kit)
    browser = logged_in(ada)
    page = browser.get(PAGE).text
    added = page.split('name="added" value="')[1].split('"')[0]
    assert browser.post(f"{PAGE}take-back", {"added": added}).status_code == 303
    assert status(mill) == {"Ada": "member", "Kit": "member", "Otto": "on paper"}
    letters.send_due()
    assert [letter.to for letter in mail.outbox] == [["kit@example.org"]]
    assert browser.post(f"{PAGE}take-back", {"added": "soon"}).status_code == 422


def test_a_name_is_removed() -> None:
    mill = club()
    ada = director(mill)
    imported(mill, LIST, ada)
    row = mill.listed_names.get(name="Kit Cole")
    for answered in (303, 404):
        response = logged_in(ada).post(f"{PAGE}{row.pk}/remove")
        assert response.status_code == answered
    assert not Letter.objects.exists()
    assert answer(row, "yes", member("Kit")).status_code == 404


def test_invitations_are_limited_even_if_they_are_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(invitations, "MAX_IN_A_DAY", 3)
    mill = club()
    ada = director(mill)
    imported(mill, "name,email\nA,a@example.org\nB,b@example.org\n", ada)
    letters.send_due()
    club_list.take_back(mill, ListedName.objects.latest("added").added)
    more = "name,email\nC,c@example.org\nD,d@example.org\n"
    ((line, column, words),) = problems(mill, more, ada)
    assert (line, column) == (0, "email")
    assert "You can send 1 more today" in words
    Letter.objects.update(made=timezone.now() - timedelta(days=2))
    assert not problems(mill, more, ada)


def test_nobody_is_invited_before_ones_own_address_is_confirmed() -> None:
    mill = club()
    ada = build.director(mill)
    ((line, column, words),) = problems(mill, LIST, ada)
    assert (line, column) == (0, "email")
    assert "Confirm your own e-mail address first" in words
    assert not problems(mill, "name,email\nZoë,\n", ada), "names on paper need none"
    confirmed(ada)
    ada.user.email = "elsewhere@example.com"  # type: ignore[union-attr]
    ada.user.save()  # type: ignore[union-attr]
    assert problems(mill, LIST, ada), "another address is confirmed than the one in use"


def addresses(number: int, first: int = 0) -> str:
    return "name,email\n" + "".join(
        f"P{at},p{at}@example.org\n" for at in range(first, first + number)
    )


def test_a_new_account_invites_twenty_and_more_as_invitations_are_accepted() -> None:
    mill, elm = club(), club("Elm")
    ada = director(mill)
    joined(elm, ada, Membership.Role.OWNER)
    ((_line, _column, words),) = problems(mill, addresses(21), ada)
    assert "You can send 20 more today, of 20 a day" in words
    assert "each one that is accepted adds 10 a day" in words
    imported(mill, addresses(20), ada)
    assert problems(elm, addresses(1), ada), "all clubs together"
    row = mill.listed_names.get(name="P7")
    invitations.accept(row, member("Kit"))
    assert not problems(elm, addresses(10), ada)
    assert problems(elm, addresses(11), ada)
    invitations.accept(mill.listed_names.get(name="P8"), ada)
    assert problems(elm, addresses(11), ada), "one's own yes counts for nothing"
    invitations.accept(mill.listed_names.get(name="P9"), Player.objects.get(name="Kit"))
    assert problems(elm, addresses(11), ada), "one person who says yes to many counts once"


def test_the_members_of_a_club_that_the_staff_know_are_invited_at_once() -> None:
    mill = club(recognised=True)
    assert not problems(mill, addresses(500), director(mill))


def test_the_office_sees_who_invites_many() -> None:
    mill, now = club(recognised=True), timezone.now()
    ada = director(mill)
    imported(mill, addresses(30), ada)
    ben = confirmed(member("Ben"))
    joined(mill, ben, Membership.Role.DIRECTOR)
    imported(mill, addresses(19, 30), ben)
    invitations.accept(mill.listed_names.get(name="P7"), member("Kit"))
    (one,) = invitations.most_inviting(now, days=7, least=20)
    assert (one.player, one.sent, one.accepted) == (ada, 30, 1)
    staff = member("Sam")
    staff.user.is_staff = True  # type: ignore[union-attr]
    staff.user.save()  # type: ignore[union-attr]
    page = logged_in(staff).get("/office/").text
    assert "Invitations by Ada" in page
    assert "30 letters in seven days. 1 accepted so far." in page
    assert "Invitations by Ben" not in page
    assert invitations.most_inviting(now + timedelta(days=8), days=7, least=1) == []


def test_a_list_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(club_list, "MAX_LISTED", 1)
    mill = club()
    ((_line, _column, words),) = problems(mill, LIST, director(mill))
    assert "would have 2 names; at most 1 are kept" in words


def test_old_letters_to_addresses_are_deleted() -> None:
    mill = club()
    imported(mill, LIST, director(mill))
    tasks.forget_addresses()
    assert Letter.objects.count() == 1
    Letter.objects.update(made=timezone.now() - timedelta(days=31))
    tasks.forget_addresses()
    assert not Letter.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_list_that_many_send_at_once_is_imported_once() -> None:
    mill = club()
    ada = director(mill)
    now = timezone.now()
    digest = club_list.plan(mill, sheet(LIST), ada, now).digest
    together = Barrier(6)

    def send(_number: int) -> int:
        try:
            together.wait()
            return len(club_list.carry_out(mill, sheet(LIST), digest, ada, now).new)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        made = sorted(pool.map(send, range(6)))
    assert made == [0, 0, 0, 0, 0, 2]
    assert Letter.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not connection.features.has_select_for_update, reason="It has no row locks.")
def test_a_list_and_a_row_about_its_sender_do_not_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mill, elm, now = club(), club("Elm"), timezone.now()
    ada = director(mill)
    digest = club_list.plan(mill, sheet(LIST), ada, now).digest
    waits = Event()

    def waiting(one: Club) -> Club:
        waits.set()
        return locked_club(one)

    monkeypatch.setattr(club_list, "locked_club", waiting)

    def send() -> int:
        try:
            return len(club_list.carry_out(mill, sheet(LIST), digest, ada, now).new)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            locked_club(mill)
            sent = pool.submit(send)
            assert waits.wait(20)
            joined(elm, ada)
        assert sent.result(20) == 2


def test_the_form_takes_a_file_or_pasted_cells() -> None:
    mill = club()
    browser = logged_in(director(mill))
    file = SimpleUploadedFile("list.csv", "name;email\nZoë;\n".encode("cp1252"))
    page = browser.post(PAGE, {"file": file})
    assert page.status_code == 200
    assert "please check the accents" in page.text
    assert "Import 1 of 1 lines" in page.text
    assert not ListedName.objects.exists()
    plan = page.context["plan"]
    form = {"text": page.context["sheet"].text(), "plan": plan.digest}
    assert browser.post(PAGE, form).status_code == 303
    assert ListedName.objects.get().name == "Zoë"
    assert "Nothing to import" in browser.post(PAGE, {"text": "name\nZoë"}).text
    assert browser.post(PAGE, form | {"text": "name\nBen"}).status_code == 409
    for wrong in ({}, {"text": " "}):
        refused = browser.post(PAGE, wrong)
        assert refused.status_code == 422
        assert "one of the two" in refused.text


def test_500_names_are_imported_in_few_queries(django_assert_max_num_queries: Any) -> None:
    mill = club(recognised=True)
    ada = director(mill)
    text = "name,email\n" + "".join(f"Name {n},n{n}@example.org\n" for n in range(500))
    digest = club_list.plan(mill, sheet(text), ada, timezone.now()).digest
    with django_assert_max_num_queries(30):
        club_list.carry_out(mill, sheet(text), digest, ada, timezone.now())
    assert Letter.objects.count() == ListedName.objects.count() == 500


NAMES = st.text(st.sampled_from("abcZë ',;\"=-@1"), min_size=1, max_size=8)
PEOPLE = st.lists(st.tuples(NAMES, st.sampled_from(["", "a", "b", "c", "d", "'e", "+f"])))


class TestExported(TestCase):
    """What is exported is imported as it was."""

    @settings(max_examples=scaled(40))
    @given(PEOPLE)
    def test_an_exported_list_is_the_same_elsewhere(self, wanted: list[tuple[str, str]]) -> None:
        mill, lake = club(), club("Lakeside")
        ada = director(mill)
        for name, local in wanted:
            text = csv_text(
                ("name", "email"),
                [
                    {
                        "name": cell(name),
                        "email": cell(f"{local}@example.org") if local else "",
                    }
                ],
            )
            shown = club_list.plan(mill, sheet(text), ada, timezone.now())
            if not shown.problems:
                club_list.carry_out(mill, sheet(text), shown.digest, ada, timezone.now())
        exported = club_list.as_csv(mill)
        assert set(imported(mill, exported, ada)) == {"stays"}
        assert club_list.as_csv(mill) == exported
        Membership.objects.create(club=lake, player=ada, role=Membership.Role.DIRECTOR)
        imported(lake, exported, ada)
        without = [{**row, "joined": ""} for row in club_list.rows(mill)]
        assert [{**row, "joined": ""} for row in club_list.rows(lake)] == without
