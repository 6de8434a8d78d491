from django.db import migrations

#: The fields of a choice of reminders, and their defaults.
USUAL = {'day_before': True, 'hour_before': False}


def to_notifications(apps, schema_editor):
    reminders = apps.get_model('tournaments', 'ReminderChoice')
    choices = apps.get_model('games', 'NotificationChoice')
    for kind, usual in USUAL.items():
        players = reminders.objects.filter(**{kind: not usual}).values_list('player', flat=True)
        rows = (choices(player_id=one, kind=kind, way='mail', on=not usual) for one in players)
        choices.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)


def to_reminders(apps, schema_editor):
    reminders = apps.get_model('tournaments', 'ReminderChoice')
    choices = apps.get_model('games', 'NotificationChoice')
    wanted = {}
    rows = choices.objects.filter(kind__in=USUAL, way='mail')
    for player, kind, on in rows.values_list('player', 'kind', 'on'):
        wanted.setdefault(player, {})[kind] = on
    for player, fields in wanted.items():
        reminders.objects.update_or_create(player_id=player, defaults=fields)


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0038_notifications'),
        ('tournaments', '0054_rated_quick_games'),
    ]

    operations = [
        migrations.RunPython(to_notifications, to_reminders),
        migrations.DeleteModel(name='ReminderChoice'),
    ]
