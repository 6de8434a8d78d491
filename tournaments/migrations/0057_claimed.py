from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0056_talk_rule'),
    ]

    operations = [
        migrations.AddField(
            model_name='walkin',
            name='claimed',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
