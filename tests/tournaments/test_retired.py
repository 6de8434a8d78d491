"""Choices that events no longer have: what was stored with them is kept when it is migrated."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps.registry import Apps
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from games.engine.rules import CLASSIC_24, rules_to_data
from tests.tournaments.build import NOON

OLD = "old"
BEFORE = [("games", "0002_archives"), ("tournaments", "0005_seated_at_tables")]


@pytest.fixture
def executor(
    django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> Iterator[MigrationExecutor]:
    """Migrations on another database, with the tables from before the choices went."""
    settings = {**connections.databases["default"], "ENGINE": "django.db.backends.sqlite3"}
    settings |= {"NAME": tmp_path / "old.sqlite3", "OPTIONS": {}, "TIME_ZONE": None}
    monkeypatch.setitem(connections.databases, OLD, settings)
    with django_db_blocker.unblock():
        executor = MigrationExecutor(connections[OLD])
        executor.migrate(BEFORE)
        yield executor
        connections[OLD].close()
    del connections[OLD]


def new(apps: Apps, model: str, app: str = "tournaments", /, **fields: Any) -> Any:
    return apps.get_model(app, model).objects.using(OLD).create(**fields)


def latest(executor: MigrationExecutor) -> Apps:
    """Run all further migrations, and return the models of their end."""
    executor.loader.build_graph()
    executor.migrate(executor.loader.graph.leaf_nodes())
    return executor.loader.project_state(executor.loader.graph.leaf_nodes()).apps


def event(apps: Apps, **fields: Any) -> Any:
    maker = new(apps, "Player", "games", name="Maeve")
    clubs = apps.get_model("tournaments", "Club").objects.using(OLD)
    club, _ = clubs.get_or_create(name="The Old Mill", slug="mill")
    return new(
        apps, "Event", club=club, name="Friday", created_by=maker, format="round_robin",
        rules_data=rules_to_data(CLASSIC_24), capacity=16, starts=NOON, registration_opens=NOON,
        registration_closes=NOON, state="finished", **fields,
    )  # fmt: skip


def match(apps: Apps, of: Any, *sides: list[int | None]) -> Any:
    """A match between sides of entries, each with its sum of ratings."""
    number = of.played_rounds.count() + 1
    round_ = new(apps, "Round", event=of, number=number)
    pairing = new(apps, "Pairing", round=round_, number=1)
    for side, strengths in enumerate(sides):
        for position, strength in enumerate(strengths):
            entry = new(apps, "Entry", event=of, state="entered", strength=strength)
            new(
                apps, "PairingEntry", round=round_, pairing=pairing, entry=entry, side=side,
                position=position,
            )  # fmt: skip
    return pairing


def test_points_given_by_rating_stay_with_their_matches(executor: MigrationExecutor) -> None:
    old = executor.loader.project_state(BEFORE).apps
    played = event(old, match="deals", deals=8, handicap=100)
    pairs = match(old, played, [3000], [3200])
    singles = match(old, played, [1600, 1700], [1500, None])  # who came late counts as 1500
    half = event(old, match="deals", deals=8, handicap=50)
    of_half = match(old, half, [3500], [3000])
    without = match(old, event(old, match="deals", deals=8), [None], [None])
    rows = latest(executor).get_model("tournaments", "Pairing").objects.using(OLD).all()
    given = {row.pk: (row.handicap_0, row.handicap_1) for row in rows}
    assert given == {pairs.pk: (2, 0), singles.pk: (0, 2), of_half.pk: (0, 2), without.pk: (0, 0)}


def test_a_place_stays_with_whom_it_went_to(executor: MigrationExecutor) -> None:
    old = executor.loader.project_state(BEFORE).apps
    left = {}
    for owner in ("first", "last"):
        entry = new(old, "Entry", event=event(old, place_owner=owner), state="entered")
        player = new(old, "Player", "games", name="Ben")
        row = new(old, "Substitution", entry=entry, position=0, player=player, until=1)
        left[row.pk] = owner == "last"
    rows = latest(executor).get_model("tournaments", "Substitution").objects.using(OLD).all()
    assert {row.pk: row.gave_up for row in rows} == left


def test_matters_of_fair_play_stay_closed_without_appeals(executor: MigrationExecutor) -> None:
    old = executor.loader.project_state(BEFORE).apps
    played = event(old)
    states = {}
    for kinds in ("ask appeal allow", "note dismiss", "hold dismiss back", "hold appeal uphold"):
        matter = new(
            old, "FairPlayMatter", club=played.club, player=played.created_by, kind="clock",
            sign=kinds, said="So.", opened_by=played.created_by,
        )  # fmt: skip
        act = None
        for kind in kinds.split():
            fields = {"kind": "take_back", "takes_back": act} if kind == "back" else {"kind": kind}
            act = new(
                old, "FairPlayAct", matter=matter, by=played.created_by, role="Owner",
                words="So.", at=NOON, **fields,
            )  # fmt: skip
        states[matter.pk] = kinds
    rows = latest(executor).get_model("tournaments", "FairPlayMatter").objects.using(OLD).all()
    left = {
        states[row.pk]: (row.closed, list(row.acts.order_by("pk").values_list("kind", flat=True)))
        for row in rows
    }
    assert left == {
        "ask appeal allow": (NOON, ["ask"]),
        "note dismiss": (NOON, ["note", "dismiss"]),
        "hold dismiss back": (None, ["hold"]),
        "hold appeal uphold": (None, ["hold"]),
    }


def test_earlier_walk_ins_are_on_the_list_of_their_club(executor: MigrationExecutor) -> None:
    apps = executor.loader.project_state(BEFORE).apps
    nights = [event(apps), event(apps)]

    def walk_in(name: str, night: int, **fields: Any) -> Any:
        player = new(apps, "Player", "games", name=name)
        return new(
            apps, "WalkIn", event=nights[night], player=player, code=f"{player.pk}", **fields
        )

    walk_in("Wim Tarrant", 0)
    latest_night = walk_in("wim tarrant", 1)
    walk_in("Walk-in 3", 0)
    walk_in("Cleo", 1, claimed_by=nights[0].created_by, claimed=NOON)
    kept = walk_in("Kit", 1)
    new(apps, "ListedName", club=nights[0].club, name="KIT")
    listed = latest(executor).get_model("tournaments", "ListedName").objects.using(OLD)
    found = {row.name: row.plays_as_id for row in listed.all()}
    assert found == {"wim tarrant": latest_night.player_id, "KIT": None}
    assert listed.get(name="wim tarrant").nights.get().pk == latest_night.pk
    assert kept.__class__.objects.using(OLD).filter(pk=kept.pk).exists()
