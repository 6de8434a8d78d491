from django.db import migrations, models


def copy(apps, schema_editor):
    events = apps.get_model('tournaments', 'Event').objects.using(schema_editor.connection.alias)
    events.filter(repeats_weekly=True).update(recurrence='weekly')


def copy_back(apps, schema_editor):
    events = apps.get_model('tournaments', 'Event').objects.using(schema_editor.connection.alias)
    events.exclude(recurrence='').update(repeats_weekly=True)


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0029_undone_acts'),
    ]

    operations = [
        migrations.AddField(
            model_name='event',
            name='no_event_on',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name='event',
            name='recurrence',
            field=models.CharField(blank=True, choices=[('', 'No'), ('weekly', 'Every week'), ('fortnightly', 'Every two weeks'), ('monthly', 'Every month, in the same week'), ('last', 'Every month, in the last week')], default='', max_length=11),
        ),
        migrations.RunPython(copy, copy_back),
    ]
