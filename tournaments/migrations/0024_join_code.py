import secrets

from django.db import migrations, models

LETTERS = "23456789CDFGHJKMNPQRTVWXY"
LENGTH = 5


def give_codes(apps, schema_editor):
    """Give every event that is not over a code of its own."""
    events = apps.get_model("tournaments", "Event").objects
    taken = {""}
    for key in events.filter(ended=None).values_list("pk", flat=True):
        code = ""
        while code in taken:
            code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        taken.add(code)
        events.filter(pk=key).update(join_code=code)


class Migration(migrations.Migration):

    dependencies = [
        ("tournaments", "0023_season_rules"),
    ]

    operations = [
        migrations.AddField(
            model_name="event",
            name="join_code",
            field=models.CharField(blank=True, default="", editable=False, max_length=5),
            preserve_default=False,
        ),
        migrations.RunPython(give_codes, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended", None), models.Q(("join_code", ""), _negated=True)),
                fields=("join_code",),
                name="event_join_code_once",
            ),
        ),
    ]
