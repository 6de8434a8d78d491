from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import migrations, models


def set_due(apps, schema_editor):
    """Let each reminder be due when its hour next begins."""
    reminders = apps.get_model("tournaments", "DailyReminder").objects
    now = datetime.now(UTC)
    for one in reminders.using(schema_editor.connection.alias).all():
        try:
            zone = ZoneInfo(one.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            zone = UTC
        local = now.astimezone(zone)
        due = local.replace(hour=one.hour, minute=0, second=0, microsecond=0)
        one.due = due if due > now else due + timedelta(days=1)
        one.save(update_fields=["due"])


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0020_earlier_walk_ins")]
    operations = [
        migrations.AddField("dailydeal", "worths", models.JSONField(blank=True, default=list)),
        migrations.AddField(
            "dailydeal", "valued", models.PositiveSmallIntegerField(default=0)
        ),
        migrations.AddField("dailyreminder", "due", models.DateTimeField(null=True)),
        migrations.RunPython(set_due, migrations.RunPython.noop),
        migrations.AlterField("dailyreminder", "due", models.DateTimeField(db_index=True)),
        migrations.RemoveField("dailyreminder", "last"),
        migrations.AddIndex(
            "dailydeal",
            models.Index(
                condition=models.Q(closed=None), fields=["closes"], name="daily_deal_unclosed"
            ),
        ),
    ]
