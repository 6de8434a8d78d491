"""A club saves rules of its own, prints its score cards, and plays an event by them."""

from __future__ import annotations

import re

import pytest

from games.engine.rules import RuleSet
from tests.factories import logged_in
from tests.tournaments import build
from tests.tournaments.clubs.test_clubs_rules import RULES, fields
from tests.tournaments.room_scores.cards_of import card_of, drawn, hand, match_of, sign
from tests.tournaments.setting_up.test_event_form import offered
from tournaments.models import Pairing
from tournaments.refusals import RefusedError
from tournaments.room_scores import cards
from tournaments.setting_up.forms import CLUB_RULES

OURS = RuleSet(
    key="house-rules",
    name="Mill rules",
    stick_the_dealer=True,
    target=None,
    deals=8,
    defend_alone=True,
    alone_euchre=3,
    lone_defence=5,
    partners_best=True,
)


@pytest.mark.django_db
def test_from_the_form_to_a_signed_result() -> None:
    mill = build.club()
    browser = logged_in(build.director(mill))
    assert browser.post(f"{RULES}new/", fields(OURS)).status_code == 303
    house = mill.house_rules.get()
    assert house.rules == OURS

    known = offered(mill) | {"name": "Friday", "rules": f"{CLUB_RULES}{house.pk}"}
    page = browser.get(f"/clubs/{mill.slug}/events/new/")
    assert f'value="{known["rules"]}"' in page.text
    event = drawn(mill, rules=house.rules, minimum=2)
    assert event.rules == OURS

    sheet = browser.get(f"/events/{event.pk}/print/score-cards/?tables=1").text
    printed = " ".join(re.sub(r"<[^>]*>", " ", sheet).split())
    assert "3 euchre alone" in printed
    assert "5 euchre by a lone defender" in printed
    assert "Defended alone" in printed

    hand(event, 1, 0, cards.FEW, alone=True, defended=True)
    hand(event, 2, 0, cards.FEW, alone=True)
    assert card_of(event).points == (0, 8)
    with pytest.raises(RefusedError):
        sign(event, (0, 7))
    sign(event, (0, 8))
    sign(event, (0, 8), side=1)
    match = match_of(event)
    assert (match.state, match.points) == (Pairing.State.DECIDED, (0, 8))
