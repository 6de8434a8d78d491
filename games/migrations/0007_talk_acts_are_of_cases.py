"""Decisions on talk are stored like those in all cases, so that older ones can be taken back."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def rename_keys(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Store ``{"talk": numbers}`` as ``{"case": "talk", "rows": numbers}``."""
    database = schema_editor.connection.alias
    acts = models.QuerySet(apps.get_model("games", "OperatorAct"), using=database)
    for act in list(acts.filter(detail__has_key="talk")):
        rows = act.detail.pop("talk")
        acts.filter(pk=act.pk).update(detail=act.detail | {"case": "talk", "rows": rows})


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0006_cases'),
    ]

    operations = [
        migrations.RunPython(rename_keys),
    ]
