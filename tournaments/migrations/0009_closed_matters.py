"""Matters of fair play have no appeals and no acts taken back; results and ratings stay."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Max

RETIRED = ("take_back", "appeal", "uphold", "allow")


def settle(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Close what was closed; remove the acts of retired kinds, and those that were taken back."""
    database = schema_editor.connection.alias
    acts = apps.get_model("tournaments", "FairPlayAct").objects.using(database)
    closing = acts.filter(kind__in=("dismiss", "allow"), taken_back=None)
    for row in list(closing.values("matter").annotate(closed=Max("at"))):
        matters = apps.get_model("tournaments", "FairPlayMatter").objects.using(database)
        matters.filter(pk=row["matter"]).update(closed=row["closed"])
    taken_back = list(acts.filter(kind="take_back").values_list("takes_back", flat=True))
    acts.filter(kind__in=RETIRED, takes_back__isnull=False).delete()
    acts.filter(models.Q(kind__in=RETIRED) | models.Q(pk__in=taken_back)).delete()


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0008_first_owner'),
    ]

    operations = [
        migrations.AddField(
            model_name='fairplaymatter',
            name='closed',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(settle),
    ]
