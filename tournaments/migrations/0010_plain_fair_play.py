"""Acts of fair play of the kinds that are left, in a transaction after that which deletes rows."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0009_closed_matters'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='fairplayact',
            name='fair_play_act_kind_known',
        ),
        migrations.RemoveConstraint(
            model_name='fairplayact',
            name='fair_play_act_takes_back_one',
        ),
        migrations.RemoveField(
            model_name='fairplayact',
            name='takes_back',
        ),
        migrations.AlterField(
            model_name='fairplayact',
            name='kind',
            field=models.CharField(choices=[('note', 'Noted'), ('ask', 'Asked the player'), ('answer', 'The player’s answer'), ('hold', 'Ratings of the games wait'), ('set_aside', 'A result set aside'), ('dismiss', 'Dismissed')], max_length=9),
        ),
        migrations.AddConstraint(
            model_name='fairplayact',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['note', 'ask', 'answer', 'hold', 'set_aside', 'dismiss'])), name='fair_play_act_kind_known'),
        ),
    ]
