"""Acts that kept rows in an older form cannot be undone: these rows, with names in them, go."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def remove_rows(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    acts = apps.get_model("tournaments", "Act").objects.using(schema_editor.connection.alias)
    for act in acts.filter(kept__has_key="rows").iterator(100):
        del act.kept["rows"]
        act.save(update_fields=["kept"])


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0010_plain_fair_play'),
    ]

    operations = [
        migrations.RunPython(remove_rows),
    ]
