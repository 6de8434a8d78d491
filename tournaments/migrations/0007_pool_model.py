from django.db import migrations, models

import tournaments.models.ratings


class Migration(migrations.Migration):
    """Note by which model a pool has been rated: those that stand were rated by an earlier one."""

    dependencies = [
        ("tournaments", "0006_rounds_cut_short"),
    ]

    operations = [
        migrations.AddField(
            model_name="pool",
            name="model",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AlterField(
            model_name="pool",
            name="model",
            field=models.PositiveSmallIntegerField(
                default=tournaments.models.ratings.current_model
            ),
        ),
    ]
