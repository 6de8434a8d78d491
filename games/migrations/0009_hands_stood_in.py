from django.db import migrations, models


class Migration(migrations.Migration):
    """Note of each hand for whom house players have acted in it."""

    dependencies = [
        ("games", "0008_key_marks"),
    ]

    operations = [
        migrations.RemoveField(model_name="game", name="peopled"),
        migrations.AddField(
            model_name="game",
            name="stood_in",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
    ]
