from django.db import migrations, models


class Migration(migrations.Migration):
    """Let people ask house players not to take their time."""

    dependencies = [
        ('games', '0016_proposals'),
    ]

    operations = [
        migrations.AddField(
            model_name='player',
            name='quick',
            field=models.BooleanField(default=False),
        ),
    ]
