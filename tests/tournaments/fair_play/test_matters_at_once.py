"""Many moderators at the same matter at once: each thing is done once, and the others are told."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from games.models import Player
from tests.tournaments.fair_play.story import LATER, Story, letters_to
from tournaments.fair_play import matters, signs
from tournaments.fair_play.signs import SignScope
from tournaments.models import FairPlayAct, FairPlayMatter, RatingHold
from tournaments.refusals import RefusedError

Kind = FairPlayAct.Kind


@pytest.fixture(autouse=True)
def _patient_pool(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> None:
    """Let sixty wait for a few connections as long as a busy machine takes."""
    pool = getattr(connection, "pool", None)
    if pool is not None:
        monkeypatch.setattr(pool, "timeout", 300.0)


@pytest.mark.django_db(transaction=True)
def test_concurrent_moderators_act_once() -> None:
    story = Story()
    (sign,) = signs.seen(SignScope(story.club), None, LATER).signs
    number, refusals = 20 if connection.vendor == "sqlite" else 60, []
    barrier = Barrier(number)

    def all_of_it(by: Player) -> None:
        barrier.wait()
        access = story.access(by)
        try:
            matter = matters.open_matter(access, None, sign.sign, story.ben.pk, LATER)
            for kind in (Kind.ASK, Kind.HOLD):
                try:
                    matters.act(access, matter, kind, "So.", LATER)
                except RefusedError as error:
                    refusals.append(error.code)
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as threads:
        list(threads.map(all_of_it, [story.ada, story.dora] * (number // 2)))
    assert FairPlayMatter.objects.count() == 1
    kinds = sorted(FairPlayAct.objects.values_list("kind", flat=True))
    assert kinds == [Kind.ASK, Kind.HOLD]
    assert RatingHold.objects.count() == 1
    assert sorted(refusals) == ["done"] * (number - 1) + ["not rated"] * (number - 1)
    assert len(letters_to(story.ben)) == 2
