"""A place belongs to whoever had it first; events of the other setting keep what they gave away."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def keep(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Let substitutes keep the places that were theirs by the setting of their event."""
    left = apps.get_model("tournaments", "Substitution").objects
    of_last = left.using(schema_editor.connection.alias).filter(entry__event__place_owner="last")
    of_last.update(gave_up=True)


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0007_act_kinds'),
    ]

    operations = [
        migrations.AddField(
            model_name='substitution',
            name='gave_up',
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(keep),
        migrations.RemoveField(
            model_name='event',
            name='place_owner',
        ),
    ]
