import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import games.models.tables
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('games', '0001_initial'), ('games', '0002_records_and_tokens'), ('games', '0003_games_by_their_end'), ('games', '0004_games_that_count'), ('games', '0005_shuffles'), ('games', '0006_publish_after'), ('games', '0007_heartbeats'), ('games', '0008_key_marks'), ('games', '0009_hands_stood_in'), ('games', '0010_skeletons_of_names'), ('games', '0011_asking_for_seats'), ('games', '0012_demonstration'), ('games', '0013_results_that_count'), ('games', '0014_seen_from'), ('games', '0015_played_for_while_away'), ('games', '0016_proposals'), ('games', '0017_quick'), ('games', '0018_leaner_journal'), ('games', '0019_own_data'), ('games', '0020_office'), ('games', '0021_house_tables'), ('games', '0022_dealing_order')]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Farewell',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.EmailField(max_length=254)),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
                ('due', models.DateTimeField(blank=True, db_index=True, default=django.utils.timezone.now, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                'ordering': ['made', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Game',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField()),
                ('rules_data', models.JSONField()),
                ('secret', models.BinaryField()),
                ('commitment', models.BinaryField(max_length=32)),
                ('mixed', models.BinaryField(max_length=32)),
                ('first_dealer', models.PositiveSmallIntegerField()),
                ('started', models.DateTimeField(default=django.utils.timezone.now)),
                ('ended', models.DateTimeField(blank=True, null=True)),
                ('version', models.PositiveIntegerField(default=0)),
                ('state', models.CharField(choices=[('playing', 'Playing'), ('over', 'Over'), ('abandoned', 'Abandoned')], db_index=True, default='playing', max_length=10)),
                ('moved', models.DateTimeField(default=django.utils.timezone.now)),
                ('due', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('turn', models.SmallIntegerField(default=-1)),
                ('deal_number', models.PositiveIntegerField(default=1)),
                ('score_0', models.PositiveSmallIntegerField(default=0)),
                ('score_1', models.PositiveSmallIntegerField(default=0)),
                ('winner', models.SmallIntegerField(default=-1)),
                ('noted', models.BooleanField(default=False)),
                ('counts', models.BooleanField(default=True)),
                ('contributions', models.BinaryField(default=bytes, max_length=128)),
                ('published', models.BooleanField(default=False)),
                ('seat_commitments', models.BinaryField(default=bytes, max_length=128)),
                ('publish_after', models.DateTimeField(blank=True, null=True)),
                ('stood_in', models.TextField(blank=True)),
                ('ruling', models.JSONField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('ended__isnull', False), ('noted', False)), fields=['ended'], name='game_to_note'), models.Index(condition=models.Q(('ended__isnull', False)), fields=['ended', 'id'], name='game_by_end'), models.Index(condition=models.Q(('ended__isnull', False), ('published', False)), fields=['ended'], name='game_to_publish')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['playing', 'over', 'abandoned'])), name='game_state_known')],
            },
        ),
        migrations.CreateModel(
            name='Heartbeat',
            fields=[
                ('name', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='HeldName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('until', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='KeyMark',
            fields=[
                ('name', models.CharField(max_length=20, primary_key=True, serialize=False)),
                ('mark', models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='Shuffle',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField()),
                ('secret', models.BinaryField()),
                ('commitment', models.BinaryField(max_length=32)),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
                ('frozen', models.DateTimeField(blank=True, null=True)),
                ('due', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('reversed_by', models.PositiveSmallIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('email', models.EmailField(max_length=254, unique=True, verbose_name='e-mail address')),
                ('sessions_ended', models.PositiveIntegerField(default=0, editable=False)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('email', django.db.models.functions.text.Lower('email'))), name='user_email_lower_case')],
            },
        ),
        migrations.CreateModel(
            name='Ban',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
                ('until', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(max_length=300)),
                ('by_name', models.CharField(max_length=100)),
                ('by_id', models.BigIntegerField(blank=True, null=True)),
                ('settled', models.BooleanField(default=False)),
                ('lifted', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bans', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-made', '-pk'],
                'indexes': [models.Index(condition=models.Q(('lifted', None)), fields=['until'], name='ban_in_order_of_end'), models.Index(condition=models.Q(('lifted', None), ('settled', False)), fields=['made'], name='ban_to_settle')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('lifted', None)), fields=('user',), name='ban_one_at_a_time'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='ban_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='Deletion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked', models.DateTimeField(default=django.utils.timezone.now)),
                ('due', models.DateTimeField(db_index=True)),
                ('hindered', models.CharField(blank=True, max_length=300)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='deletion', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['due', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='LogLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('match', models.UUIDField()),
                ('kind', models.CharField(choices=[('created', 'Created'), ('started', 'Started'), ('aborted', 'Aborted'), ('revealed', 'Revealed')], max_length=8)),
                ('data', models.JSONField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('place', models.PositiveBigIntegerField(blank=True, null=True, unique=True)),
                ('text', models.TextField(blank=True)),
                ('hash', models.BinaryField(blank=True, max_length=32, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('place__isnull', True)), fields=['id'], name='log_line_to_chain')],
                'constraints': [models.UniqueConstraint(fields=('match', 'kind'), name='log_line_once_a_match'), models.CheckConstraint(condition=models.Q(('kind__in', ['created', 'started', 'aborted', 'revealed'])), name='log_line_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='OperatorAct',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('what', models.CharField(choices=[('ban', 'Closed the account'), ('lift_ban', 'Opened the account again'), ('rename', 'Renamed'), ('delete_account', 'Deleted the account'), ('close_club', 'Closed the club'), ('reopen_club', 'Opened the club again'), ('hand_over', 'Handed the club over'), ('decide_report', 'Decided on reports'), ('warn', 'Warned by letter'), ('clear_failures', 'Took note of failed tasks'), ('admin', 'Changed on the admin pages')], max_length=20)),
                ('by_id', models.BigIntegerField(null=True)),
                ('by_name', models.CharField(max_length=100)),
                ('about', models.CharField(choices=[('user', 'Account'), ('player', 'Player'), ('club', 'Club'), ('event', 'Event'), ('task', 'Task'), ('other', 'Other')], max_length=8)),
                ('about_id', models.BigIntegerField(null=True)),
                ('about_name', models.CharField(max_length=100)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('detail', models.JSONField(blank=True, default=dict)),
                ('undoes', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='undone_by', to='games.operatoract')),
            ],
            options={
                'ordering': ['-at', '-pk'],
                'indexes': [models.Index(fields=['about', 'about_id'], name='act_of_subject')],
            },
        ),
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=30)),
                ('kind', models.CharField(choices=[('person', 'Person'), ('house', 'House'), ('program', 'Program')], default='person', max_length=8)),
                ('cut_for_me', models.BooleanField(default=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('country', models.CharField(blank=True, max_length=2)),
                ('private', models.BooleanField(default=False)),
                ('skeleton', models.CharField(blank=True, db_index=True, editable=False, max_length=120)),
                ('demonstration', models.BooleanField(default=False)),
                ('quick', models.BooleanField(default=False)),
                ('former', models.BooleanField(default=False)),
                ('reverses_packets', models.BooleanField(default=False)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='programs', to='games.player')),
                ('user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='player', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='player_has_a_name'), models.CheckConstraint(condition=models.Q(('kind__in', ['person', 'house', 'program'])), name='player_kind_known'), models.CheckConstraint(condition=models.Q(('user', None), ('kind', 'person'), _connector='OR'), name='player_account_is_a_persons'), models.CheckConstraint(condition=models.Q(('owner', None), ('kind', 'program'), _connector='OR'), name='player_owner_is_a_programs'), models.UniqueConstraint(condition=models.Q(models.Q(('user__isnull', False), ('kind', 'program'), _connector='OR'), models.Q(('skeleton', ''), _negated=True)), fields=('skeleton',), name='player_name_is_one_s_own'), models.CheckConstraint(condition=models.Q(('demonstration', False), models.Q(('kind', 'person'), ('user', None)), _connector='OR'), name='player_of_a_demonstration_has_no_account'), models.CheckConstraint(condition=models.Q(('former', False), ('user', None), _connector='OR'), name='player_who_has_gone_has_no_account')],
            },
        ),
        migrations.CreateModel(
            name='Performance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('rules', models.CharField(max_length=40)),
                ('ended', models.DateTimeField()),
                ('result', models.SmallIntegerField(null=True)),
                ('points', models.PositiveSmallIntegerField()),
                ('against', models.PositiveSmallIntegerField()),
                ('deals', models.PositiveSmallIntegerField()),
                ('called', models.PositiveSmallIntegerField(default=0)),
                ('made', models.PositiveSmallIntegerField(default=0)),
                ('marched', models.PositiveSmallIntegerField(default=0)),
                ('euchred', models.PositiveSmallIntegerField(default=0)),
                ('alone', models.PositiveSmallIntegerField(default=0)),
                ('alone_marched', models.PositiveSmallIntegerField(default=0)),
                ('euchres', models.PositiveSmallIntegerField(default=0)),
                ('called_1', models.PositiveSmallIntegerField(default=0)),
                ('called_2', models.PositiveSmallIntegerField(default=0)),
                ('called_3', models.PositiveSmallIntegerField(default=0)),
                ('called_4', models.PositiveSmallIntegerField(default=0)),
                ('trumps_1', models.PositiveSmallIntegerField(default=0)),
                ('trumps_2', models.PositiveSmallIntegerField(default=0)),
                ('trumps_3', models.PositiveSmallIntegerField(default=0)),
                ('trumps_4', models.PositiveSmallIntegerField(default=0)),
                ('worth', models.FloatField(default=0.0)),
                ('worth_against', models.FloatField(default=0.0)),
                ('match', models.PositiveBigIntegerField(blank=True, null=True)),
                ('number', models.PositiveSmallIntegerField(default=0)),
                ('game', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='performances', to='games.game')),
                ('left', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='games.player')),
                ('partner', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='games.player')),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='performances', to='games.player')),
                ('right', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='games.player')),
            ],
            options={
                'ordering': ['-ended'],
                'indexes': [models.Index(fields=['player', '-ended'], name='performance_of_player')],
                'constraints': [models.UniqueConstraint(fields=('game', 'player'), name='performance_once_a_game'), models.UniqueConstraint(fields=('match', 'number', 'player'), name='performance_once_a_match'), models.CheckConstraint(condition=models.Q(models.Q(('game__isnull', False), ('match__isnull', True)), models.Q(('game__isnull', True), ('match__isnull', False)), _connector='OR'), name='performance_of_game_or_match')],
            },
        ),
        migrations.CreateModel(
            name='PastName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=30)),
                ('until', models.DateTimeField(default=django.utils.timezone.now)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='past_names', to='games.player')),
            ],
            options={
                'ordering': ['until', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='GameSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('game', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='games.game')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='game_seats', to='games.player')),
            ],
            options={
                'ordering': ['game', 'position'],
                'constraints': [models.UniqueConstraint(fields=('game', 'position'), name='game_seat_once')],
            },
        ),
        migrations.CreateModel(
            name='GameEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.PositiveIntegerField()),
                ('seat', models.SmallIntegerField(default=-1)),
                ('by', models.CharField(choices=[('person', 'Person'), ('house', 'House'), ('clock', 'Clock')], max_length=6)),
                ('action', models.CharField(max_length=16)),
                ('client_key', models.CharField(blank=True, max_length=36, null=True)),
                ('at', models.DateTimeField()),
                ('game', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='games.game')),
                ('player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='games.player')),
            ],
            options={
                'ordering': ['game', 'seq'],
                'constraints': [models.UniqueConstraint(fields=('game', 'seq'), name='event_seq_once_a_game'), models.UniqueConstraint(condition=models.Q(('client_key__isnull', False)), fields=('game', 'client_key'), name='event_client_key_once_a_game')],
            },
        ),
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
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('about', models.CharField(choices=[('user', 'Account'), ('player', 'Player'), ('club', 'Club'), ('event', 'Event'), ('task', 'Task'), ('other', 'Other')], max_length=8)),
                ('about_id', models.BigIntegerField()),
                ('about_name', models.CharField(max_length=100)),
                ('reason', models.CharField(choices=[('name', 'An insulting name'), ('words', 'Insulting or indecent words'), ('cheating', 'Cheating'), ('spam', 'Advertising or nonsense'), ('other', 'Something else')], max_length=8)),
                ('words', models.CharField(blank=True, max_length=500)),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
                ('decision', models.CharField(blank=True, choices=[('nothing', 'Nothing was to be done'), ('warn', 'Warned by letter'), ('rename', 'Renamed'), ('ban', 'Account closed'), ('other', 'Dealt with in another way')], max_length=8)),
                ('decided', models.DateTimeField(blank=True, null=True)),
                ('by_id', models.BigIntegerField(blank=True, null=True)),
                ('by_name', models.CharField(blank=True, max_length=100)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('reporter', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='reports_made', to='games.player')),
            ],
            options={
                'ordering': ['made', 'pk'],
                'indexes': [models.Index(fields=['about', 'about_id'], name='report_of_subject'), models.Index(condition=models.Q(('decided', None)), fields=['made'], name='report_to_decide')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('decided', None)), fields=('reporter', 'about', 'about_id'), name='report_one_open_a_subject')],
            },
        ),
        migrations.CreateModel(
            name='Contribution',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('commitment', models.BinaryField(max_length=32)),
                ('number', models.BinaryField(blank=True, max_length=32, null=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contributions', to='games.player')),
                ('shuffle', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='contributions', to='games.shuffle')),
            ],
            options={
                'ordering': ['shuffle', 'position'],
                'constraints': [models.UniqueConstraint(fields=('shuffle', 'position'), name='contribution_once_a_seat')],
            },
        ),
        migrations.CreateModel(
            name='Table',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rules_data', models.JSONField()),
                ('open', models.BooleanField(default=True)),
                ('invite_token', models.CharField(default=games.models.tables.invite_token, max_length=24)),
                ('state', models.CharField(choices=[('gathering', 'Gathering'), ('shuffling', 'Shuffling'), ('playing', 'Playing'), ('finished', 'Finished'), ('closed', 'Closed')], db_index=True, default='gathering', max_length=10)),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('reserved', models.BooleanField(default=False)),
                ('title', models.CharField(blank=True, max_length=150)),
                ('back', models.CharField(blank=True, max_length=100)),
                ('turn_seconds', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('comings', models.JSONField(blank=True, default=list)),
                ('house_after', models.PositiveSmallIntegerField(blank=True, default=12, null=True)),
                ('plays_on', models.BooleanField(default=False)),
                ('host', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hosted_tables', to='games.player')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('plays_on', True)), fields=['state'], name='table_that_plays_on')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['gathering', 'shuffling', 'playing', 'finished', 'closed'])), name='table_state_known')],
            },
        ),
        migrations.AddField(
            model_name='shuffle',
            name='table',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='shuffles', to='games.table'),
        ),
        migrations.CreateModel(
            name='SeenFrom',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=32)),
                ('at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='games.player')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seen_from', to='games.table')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('table', 'player', 'digest'), name='seen_from_once_a_table')],
            },
        ),
        migrations.CreateModel(
            name='SeatRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('asked', models.DateTimeField(default=django.utils.timezone.now)),
                ('refused', models.BooleanField(default=False)),
                ('session', models.CharField(blank=True, max_length=64)),
                ('address', models.CharField(blank=True, max_length=64)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seat_requests', to='games.player')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requests', to='games.table')),
            ],
            options={
                'ordering': ['asked', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('table', 'player'), name='seat_request_one_a_player')],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('stand_in', models.BooleanField(default=False)),
                ('since', models.DateTimeField(default=django.utils.timezone.now)),
                ('last_seen', models.DateTimeField(default=django.utils.timezone.now)),
                ('throws_in', models.BooleanField(default=False)),
                ('missing_since', models.DateTimeField(blank=True, null=True)),
                ('player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='games.player')),
                ('table', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='games.table')),
            ],
            options={
                'ordering': ['table', 'position'],
                'constraints': [models.UniqueConstraint(fields=('table', 'position'), name='seat_once_a_table'), models.UniqueConstraint(condition=models.Q(('player__isnull', False)), fields=('table', 'player'), name='seat_one_a_player'), models.CheckConstraint(condition=models.Q(('position__lte', 3)), name='seat_position_0_to_3')],
            },
        ),
        migrations.AddField(
            model_name='game',
            name='table',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='games', to='games.table'),
        ),
        migrations.CreateModel(
            name='Takeaway',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked', models.DateTimeField(default=django.utils.timezone.now)),
                ('due', models.DateTimeField(blank=True, db_index=True, default=django.utils.timezone.now, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('made', models.DateTimeField(blank=True, null=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='takeaways', to='games.player')),
            ],
            options={
                'ordering': ['asked', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='TakeawayFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('data', models.BinaryField()),
                ('size', models.PositiveIntegerField()),
                ('takeaway', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='games.takeaway')),
            ],
            options={
                'ordering': ['takeaway', 'number'],
                'constraints': [models.UniqueConstraint(fields=('takeaway', 'number'), name='takeaway_file_once')],
            },
        ),
        migrations.CreateModel(
            name='TaskFailure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('error', models.CharField(max_length=100)),
                ('count', models.PositiveIntegerField(default=1)),
                ('first', models.DateTimeField(default=django.utils.timezone.now)),
                ('last', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['-last'],
                'constraints': [models.UniqueConstraint(fields=('name', 'error'), name='task_failure_once_a_cause')],
            },
        ),
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('hint', models.CharField(max_length=12)),
                ('scopes', models.JSONField(default=list)),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires', models.DateTimeField(blank=True, null=True)),
                ('used', models.DateTimeField(blank=True, null=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='games.player')),
            ],
            options={
                'ordering': ['-created'],
            },
        ),
        migrations.CreateModel(
            name='Trace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('session', 'Session'), ('address', 'Address')], max_length=7)),
                ('digest', models.CharField(max_length=64)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='traces', to='games.player')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='traces', to='games.table')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('table', 'player', 'digest'), name='trace_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['session', 'address'])), name='trace_kind_known')],
            },
        ),
        migrations.AddConstraint(
            model_name='shuffle',
            constraint=models.UniqueConstraint(fields=('table', 'number'), name='shuffle_once_a_game'),
        ),
        migrations.AddConstraint(
            model_name='game',
            constraint=models.UniqueConstraint(fields=('table', 'number'), name='game_number_once_a_table'),
        ),
    ]
