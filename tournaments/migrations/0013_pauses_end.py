import datetime

from django.db import migrations, models


def break_off(apps, schema_editor):
    """Take the end from rounds that were not played to it: their byes count for nobody."""
    rounds = apps.get_model("tournaments", "Round").objects
    open_still = rounds.filter(
        event__state="cancelled", pairings__state__in=["called", "playing"]
    )
    rounds.filter(pk__in=open_still.values("pk")).update(over=None)



def rate_called_off(apps, schema_editor):
    """Let what had been played in rated events that were called off be looked at and rated."""
    events = apps.get_model("tournaments", "Event").objects
    events.filter(
        state="cancelled", rated=True, started__isnull=False, ended__isnull=False
    ).update(to_rate=True)


class Migration(migrations.Migration):

    dependencies = [
        ("tournaments", "0012_no_show_in_neutral_words"),
    ]

    operations = [
        migrations.AddField(
            model_name="event",
            name="paused_for",
            field=models.DurationField(default=datetime.timedelta),
        ),
        migrations.RunPython(break_off, migrations.RunPython.noop),
        migrations.RunPython(rate_called_off, migrations.RunPython.noop),
    ]
