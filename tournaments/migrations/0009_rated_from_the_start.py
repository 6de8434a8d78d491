from django.db import migrations, models
from django.db.models import Exists, F, OuterRef, Q


def settle(apps, schema_editor):
    """Say of matches that have begun whether they are rated, and let their games be noted anew.

    A match is rated if its event is, and if in every seat there was a person who came.
    """
    Pairing = apps.get_model("tournaments", "Pairing")
    Seat = apps.get_model("games", "Seat")
    Game = apps.get_model("games", "Game")
    missing = Seat.objects.filter(
        Q(last_seen__lt=F("table__created")) | ~Q(player__kind="person"), table=OuterRef("table")
    )
    begun = Game.objects.filter(table=OuterRef("table"))
    rated = Pairing.objects.filter(
        ~Exists(missing), Exists(begun), round__event__rated=True, table__isnull=False
    )
    Pairing.objects.filter(pk__in=rated.values("pk")).update(rated=True)
    at_the_table = ("played", "time")
    by_play = Pairing.objects.filter(
        Q(how__in=at_the_table) | Q(how="director", corrections__before__how__in=at_the_table)
    )
    Pairing.objects.filter(pk__in=by_play.values("pk")).update(played_out=True)
    Game.objects.filter(table__pairing__rated=True, ended__isnull=False).update(noted=False)


class Migration(migrations.Migration):
    """Settle whether a match is rated when it begins, and how much of a game counts for whom."""

    dependencies = [
        ("games", "0009_hands_stood_in"),
        ("tournaments", "0008_results_are_final_later"),
    ]

    operations = [
        migrations.AddField("pairing", "rated", models.BooleanField(default=False)),
        migrations.AddField("pairing", "played_out", models.BooleanField(default=False)),
        migrations.AddField("ratingchange", "weight", models.FloatField(default=1.0)),
        migrations.RunPython(settle, migrations.RunPython.noop),
    ]
