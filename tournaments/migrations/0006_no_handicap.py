"""Events can have no handicap by rating any more; the points that were given stay with matches."""

from math import exp, sqrt
from statistics import NormalDist

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

#: What an entry counted that had no rating: of each of its players.
UNRATED = 1500


def given(first: int, second: int, hands: int, percent: int) -> tuple[int, int]:
    """Return the points that sides of these strengths were given; one of them none."""
    chance = min(0.95, 1 / (1 + exp(-abs(first - second) / (240 * sqrt(2)))))
    points = round(1.56 * sqrt(hands) * NormalDist().inv_cdf(chance) * percent / 100)
    return (points, 0) if first < second else (0, points)


def store(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Store with each match what its sides were given, by the ratings at the start."""
    database = schema_editor.connection.alias
    Event = apps.get_model("tournaments", "Event")
    Pairing = apps.get_model("tournaments", "Pairing")
    for event in Event.objects.using(database).filter(handicap__gt=0):
        own = dict(event.entries.values_list("pk", "strength"))
        unrated = UNRATED * event.rules_data["players"] // 2
        matches = list(
            Pairing.objects.using(database).filter(round__event=event).prefetch_related("entries")
        )
        for match in matches:
            sides = [
                [own[line.entry_id] for line in match.entries.all() if line.side == side]
                for side in (0, 1)
            ]
            first, second = (
                sum(strength or unrated // len(side) for strength in side) for side in sides
            )
            match.handicap_0, match.handicap_1 = given(
                first, second, event.deals or 0, event.handicap
            )
        Pairing.objects.using(database).bulk_update(
            matches, ["handicap_0", "handicap_1"], batch_size=100
        )


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0005_seated_at_tables'),
    ]

    operations = [
        migrations.AddField(
            model_name='pairing',
            name='handicap_0',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='pairing',
            name='handicap_1',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.RunPython(store),
        migrations.RemoveField(
            model_name='entry',
            name='strength',
        ),
        migrations.RemoveField(
            model_name='event',
            name='handicap',
        ),
    ]
