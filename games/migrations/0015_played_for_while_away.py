from django.db import migrations, models


class Migration(migrations.Migration):
    """Note since when somebody is gone, and after how many seconds the house plays for them."""

    dependencies = [
        ("games", "0014_seen_from"),
    ]

    operations = [
        migrations.AddField(
            model_name="table",
            name="house_after",
            field=models.PositiveSmallIntegerField(blank=True, default=12, null=True),
        ),
        migrations.AddField(
            model_name="seat",
            name="missing_since",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
