"""The rounds of an event, read while others change them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from tests.tournaments import build
from tournaments.models import Pairing, Round, SitOut
from tournaments.results.event_rows import rounds_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("table", ["tournaments_pairing", "tournaments_pairingentry"])
def test_round_drawn_during_reading_is_left_out(table: str) -> None:
    event = build.event(rounds=4)
    entries = build.enter(event, 5)
    build.begin(event)
    round_ = build.latest(event)
    pairings = Pairing.objects.filter(round=round_)
    read = [rounds_of(event, unfinished=True)]

    def change_once(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if f'FROM "{table}"' in sql and len(read) == 1:
            read.append([])
            drawn = Round.objects.create(event=event, number=2)
            SitOut.objects.create(round=drawn, entry=entries[0])
            pairings.update(state=Pairing.State.DECIDED, winner=0)
        return execute(sql, *rest)

    with connection.execute_wrapper(change_once):
        read.append(rounds_of(event, unfinished=True))
    assert len(read) == 3, "nothing was changed"
    (seen,) = read[-1]
    assert seen.sit_outs == read[0][0].sit_outs
    for match in seen.matches:
        assert all(len(side) == 2 for side in match.pairing.sides)
