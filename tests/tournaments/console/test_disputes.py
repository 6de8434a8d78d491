"""A disputed table on the console: what each side says, each with its button, and acts in place."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.build import NOON
from tests.tournaments.room_scores import cards_of
from tournaments.acts import playing_again, undoing
from tournaments.models import Act, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.room_scores import cards

pytestmark = pytest.mark.django_db

SCRIPT = {"HX-Request": "true"}


@pytest.fixture
def event(ada: Player) -> Event:
    """Table 1 has played four hands, 3–3; east–west say that hand 3 was a renege."""
    event = cards_of.drawn(ada.memberships.get().club, 8, deals=4)
    cards_of.hand(event, 1, 0)
    cards_of.hand(event, 2, 1, cards.MARCH)
    cards_of.hand(event, 3, 0, cards.MARCH)
    cards_of.hand(event, 4, 1)
    cards_of.sign(event, (3, 3))
    cards_of.send(
        event, "dispute", {}, side=1, by=cards_of.EAST, number=3, said="A renege by south."
    )
    return event


@pytest.fixture
def desk(ada: Player) -> Client:
    return logged_in(ada)


def opened(desk: Client, event: Event) -> str:
    page = desk.get(reverse("manage_event", args=[event.pk]), {"open": "1"}).text
    return page[page.index('id="table-1"') : page.index('id="table-2"')]


class TestClaims:
    def test_both_sides_and_neither_are_told(self, desk: Client, event: Event) -> None:
        words = " ".join(re.sub(r"<[^>]+>", " ", opened(desk, event)).split())
        assert "North–south say 3–3 Signed Set 3–3" in words
        assert "East–west say Not 3–3 They mean hand 3: “A renege by south.”" in words
        assert "Neither 1–3 The other hands stay Play hand 3 again" in words

    def test_the_signed_score_is_set_in_one_press(self, desk: Client, event: Event) -> None:
        button = re.search(r'formaction="([^"]+)" name="then" value="console"', opened(desk, event))
        assert button is not None
        answer = desk.post(html.unescape(button[1]), {"then": "console"})
        assert answer["Location"] == f"{reverse('manage_event', args=[event.pk])}?round=1#table-1"
        match = cards_of.match_of(event)
        assert (match.state, match.points) == (Pairing.State.DECIDED, (3, 3))

    def test_it_is_not_set_if_the_card_has_changed_since(self, desk: Client, event: Event) -> None:
        button = re.search(r'formaction="([^"]+)" name="then" value="console"', opened(desk, event))
        assert button is not None
        key = cards_of.card_of(event).hands[3].key
        cards_of.hand(event, 3, 1, cards.MARCH, seen=key)
        answer = desk.post(html.unescape(button[1]), {"then": "console"})
        assert answer.status_code == 422
        assert "The table’s phone wrote 1–5." in answer.text
        assert cards_of.match_of(event).state != Pairing.State.DECIDED


class TestHandAgain:
    def again(self, event: Event, ada: Player, number: int = 3) -> None:
        match = cards_of.match_of(event)
        playing_again.reopen_hand(match, number, ada, reason="A renege.", now=NOON)

    def test_the_other_hands_stay_and_it_is_written_next(self, event: Event, ada: Player) -> None:
        self.again(event, ada)
        card = cards_of.card_of(event)
        assert (card.points, card.next, card.complete) == ((1, 3), 3, False)
        assert (card.disputed, card.signed) == (None, {})
        cards_of.hand(event, 3, 1, cards.MARCH)
        for side in (0, 1):
            cards_of.sign(event, (1, 5), side=side)
        assert cards_of.match_of(event).points == (1, 5)

    def test_it_cannot_be_signed_before(self, event: Event, ada: Player) -> None:
        self.again(event, ada)
        with pytest.raises(RefusedError):
            cards_of.sign(event, (1, 3))

    def test_undone_the_card_is_as_before(self, event: Event, ada: Player) -> None:
        self.again(event, ada)
        undoing.undo(event.acts.get(kind=Act.Kind.REOPEN), ada, NOON)
        card = cards_of.card_of(event)
        assert (card.points, card.complete) == ((3, 3), True)
        assert card.disputed is not None

    def test_not_undone_once_the_match_is_over(self, event: Event, ada: Player) -> None:
        self.again(event, ada)
        cards_of.hand(event, 3, 1)
        for side in (0, 1):
            cards_of.sign(event, (1, 4), side=side)
        with pytest.raises(RefusedError, match="is over"):
            undoing.undo(event.acts.get(kind=Act.Kind.REOPEN), ada, NOON)

    @pytest.mark.parametrize("number", [0, 5, 99])
    def test_a_hand_that_is_not_written_is_refused(
        self, event: Event, ada: Player, number: int
    ) -> None:
        with pytest.raises(RefusedError, match=f"No hand {number} is written at table 1"):
            self.again(event, ada, number)

    def test_nobody_decides_it_at_their_own_table(self, event: Event) -> None:
        own = build.members(event.club, "Bo")[0]
        event.entered_players.filter(player=cards_of.player_at(event, 0)).update(player=own)
        with pytest.raises(RefusedError):
            self.again(event, own)

    def test_the_log_tells_the_score_before_and_after(
        self, desk: Client, event: Event, ada: Player
    ) -> None:
        self.again(event, ada)
        page = desk.get(reverse("event_acts", args=[event.pk])).text
        assert "Had hand 3 played again" in page
        assert "<s>3–3</s> → 1–3" in page


class TestInPlace:
    """Acts open under their table by script, and on a page of their own without."""

    def test_what_will_change_is_shown_in_place(self, desk: Client, event: Event) -> None:
        path = f"{reverse('reopen_table', args=[event.pk, 1, 1])}?hand=3"
        part = desk.get(path, headers=SCRIPT).text
        assert "What will change" in part
        assert "<html" not in part
        assert "<html" in desk.get(path).text

    def test_done_it_says_so_on_the_console_with_its_undo(self, desk: Client, event: Event) -> None:
        path = reverse("reopen_table", args=[event.pk, 1, 1])
        seen = build.seen_in(desk.get(path, {"hand": "3"}, headers=SCRIPT).text)
        fields = {"hand": "3", "seen": seen, "reason": "A renege."}
        answer = desk.post(path, fields, headers=SCRIPT)
        assert answer.status_code == 200
        said = answer.text[answer.text.index("#console-said") :]
        assert "Table 1 plays hand 3 again." in said
        assert "Undo</a>" in said
        assert event.acts.filter(kind=Act.Kind.REOPEN).count() == 1

    def test_a_refusal_and_a_missing_reason_are_shown_in_place(
        self, desk: Client, event: Event
    ) -> None:
        path = reverse("reopen_table", args=[event.pk, 1, 1])
        seen = build.seen_in(desk.get(path, {"hand": "3"}, headers=SCRIPT).text)
        answer = desk.post(path, {"hand": "3", "seen": seen, "reason": ""}, headers=SCRIPT)
        assert answer.status_code == 200  # or it would not be swapped in
        assert "errorlist" in answer.text or "aria-invalid" in answer.text
        fields = {"hand": "3", "seen": "another", "reason": "A renege."}
        answer = desk.post(path, fields, headers=SCRIPT)
        assert "Something has changed since this page was shown" in answer.text
        assert not event.acts.exists()
