"""The pages of a review: who sees them, what they show at each step, and how one is asked for."""

from __future__ import annotations

import pytest
from django.test import Client

from games.records.game_files import played_of
from tests.games.review.judges import played, reviewed

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


def test_every_moment_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    game = reviewed(monkeypatch, played())
    for deal in played_of(game).deals[:3]:
        for step in range(deal.steps + 1):
            for view in ("north", "east"):
                address = f"/games/{game.pk}/review/?at={deal.number}.{step}&seat={view}"
                page = Client().get(address)
                assert page.status_code == 200
                values = Client().get(address, headers=JSON).json()
                assert (values["hand"], values["step"], values["seat"]) == (
                    deal.number, step, view,
                )  # fmt: skip
