from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0030_recurrence'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='event',
            name='repeats_weekly',
        ),
    ]
