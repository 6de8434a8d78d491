import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    """Keep what somebody proposes to the others at a table."""

    dependencies = [
        ('games', '0015_played_for_while_away'),
    ]

    operations = [
        migrations.CreateModel(
            name='Proposal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('leave', 'Leave'), ('resign', 'Resign'), ('claim', 'Claim'), ('undo', 'Undo')], max_length=6)),
                ('position', models.PositiveSmallIntegerField()),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
                ('until', models.DateTimeField()),
                ('deal_number', models.PositiveIntegerField()),
                ('version', models.PositiveIntegerField()),
                ('cards', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('open', 'Open'), ('agreed', 'Agreed'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn'), ('lapsed', 'Lapsed')], default='open', max_length=9)),
                ('agreed', models.JSONField(blank=True, default=list)),
                ('answered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='games.player')),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proposals', to='games.game')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='games.player')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('game',), name='proposal_one_open_a_game'), models.CheckConstraint(condition=models.Q(('kind__in', ['leave', 'resign', 'claim', 'undo'])), name='proposal_kind_known'), models.CheckConstraint(condition=models.Q(('state__in', ['open', 'agreed', 'declined', 'withdrawn', 'lapsed'])), name='proposal_state_known')],
            },
        ),
    ]
