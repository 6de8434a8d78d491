from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0045_pairs"),
    ]

    operations = [
        migrations.AddField(
            model_name="player",
            name="named_watching",
            field=models.BooleanField(default=False),
        ),
    ]
