import datetime
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.text
import django.utils.timezone
import tournaments.models.clubs
import tournaments.models.events
import tournaments.models.ratings
import tournaments.models.room
import tournaments.models.walk_ins
from django.conf import settings
from django.db import migrations, models

from games.migrations._creation import Creation


class Migration(Creation):

    # A database that has applied all of these has applied this one.
    replaces = [("tournaments", name) for name in """
        0002_ranks_and_webhooks 0003_pool_claims 0004_events_in_order_of_end
        0005_events_put_off 0006_rounds_cut_short 0007_pool_model
        0008_results_are_final_later 0009_rated_from_the_start 0010_house_prizes
        0011_ratings_that_wait 0012_no_show_in_neutral_words 0013_pauses_end
        0014_closed_clubs 0015_fair_play 0016_appeals 0017_withdrawal_of_absent_entries
        0018_tie_break_edition 0019_rating_only_club 0020_duplicate 0021_club_lists
        0022_movements 0023_season_rules 0024_join_code 0025_embedding_sites
        0026_acts_of_directors 0027_divisions 0028_in_the_room 0029_undone_acts
        0030_recurrence 0031_repeats_weekly 0032_acts_on_seats 0033_entered_by_directors
        0034_entry_money 0035_reminders 0036_rounds_taken_back 0037_room_scores
        0038_matches_played_again 0039_late_entries 0040_paid 0041_play_offs
        0042_director_calls 0043_handicap 0044_walk_ins 0045_substitutes 0046_kept_apart
        0047_claims 0048_season_teams 0049_delayed_events 0050_penalties
        0051_more_time_for_a_table 0052_new_codes 0053_moved_tables 0054_rated_quick_games
        0055_reminders_as_notifications 0056_talk_rule 0057_claimed 0058_home_club
        0059_club_calls 0060_past_results 0061_place_owners 0062_ties
    """.split()]

    initial = True

    dependencies = [
        ('games', '0001_initial'),
        ('games', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='Pool',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=20, unique=True)),
                ('revision', models.PositiveIntegerField(default=0)),
                ('busy_until', models.DateTimeField(blank=True, null=True)),
                ('model', models.PositiveSmallIntegerField(default=tournaments.models.ratings.current_model)),
            ],
            options={
                'ordering': ['key'],
            },
        ),
        migrations.CreateModel(
            name='UnwantedAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('asked', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'verbose_name_plural': 'unwanted addresses',
            },
        ),
        migrations.CreateModel(
            name='Club',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('about', models.TextField(blank=True, max_length=2000)),
                ('joining', models.CharField(choices=[('open', 'Open to everybody'), ('approval', 'A director approves'), ('invitation', 'By invitation only')], default='open', max_length=10)),
                ('time_zone', models.CharField(default='UTC', max_length=64)),
                ('country', models.CharField(blank=True, max_length=2)),
                ('invite_token', models.CharField(default=tournaments.models.clubs.new_token, max_length=32, unique=True)),
                ('recognised', models.BooleanField(default=False)),
                ('closed', models.DateTimeField(blank=True, editable=False, null=True)),
                ('names_moderators', models.BooleanField(default=True)),
                ('embedding_sites', models.TextField(blank=True, default='', max_length=1000)),
                ('currency', models.CharField(blank=True, default='', max_length=3)),
                ('talk', models.CharField(choices=[('free', 'Freely, in rated events after the games'), ('after', 'Freely after the games'), ('phrases', 'Phrases only')], default='free', max_length=7)),
                ('calls', models.BooleanField(default=True)),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': [django.db.models.functions.text.Lower('name')],
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('name'), name='club_name_once'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='club_has_a_name'), models.CheckConstraint(condition=models.Q(('joining__in', ['open', 'approval', 'invitation'])), name='club_joining_known'), models.CheckConstraint(condition=models.Q(('talk__in', ['free', 'after', 'phrases'])), name='club_talk_known')],
            },
        ),
        migrations.CreateModel(
            name='Announcement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='announcements', to='tournaments.club')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='games.player')),
                ('subject', models.CharField(max_length=100)),
                ('text', models.TextField(max_length=5000)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['-at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='ClubCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='table_calls', to='tournaments.club')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='club_calls', to='games.table')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='games.player')),
                ('made', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('until', models.DateTimeField()),
            ],
            options={
                'ordering': ['-made', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='FeedKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='feed_key', to='games.player')),
                ('token', models.CharField(default=tournaments.models.clubs.new_token, max_length=32, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name='HouseRules',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='house_rules', to='tournaments.club')),
                ('rules_data', models.JSONField()),
                ('name', models.CharField(max_length=40)),
            ],
            options={
                'ordering': [django.db.models.functions.text.Lower('name')],
                'constraints': [models.UniqueConstraint(models.F('club'), django.db.models.functions.text.Lower('name'), name='house_rules_name_once_a_club')],
            },
        ),
        migrations.CreateModel(
            name='JoinRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requests', to='tournaments.club')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='join_requests', to='games.player')),
                ('words', models.CharField(blank=True, max_length=200)),
                ('asked', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['asked'],
                'constraints': [models.UniqueConstraint(fields=('club', 'player'), name='join_request_once')],
            },
        ),
        migrations.CreateModel(
            name='ListedName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='listed_names', to='tournaments.club')),
                ('name', models.CharField(max_length=60)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='listed_as', to='games.player')),
                ('key', models.CharField(default=tournaments.models.clubs.new_token, editable=False, max_length=32, unique=True)),
                ('added', models.DateTimeField(default=django.utils.timezone.now)),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='names_listed', to='games.player')),
            ],
            options={
                'ordering': [django.db.models.functions.text.Lower('name'), 'pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('email', ''), _negated=True), fields=('club', 'email'), name='listed_email_once_a_club'), models.UniqueConstraint(models.F('club'), django.db.models.functions.text.Lower('name'), condition=models.Q(('email', '')), name='name_on_paper_once_a_club'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='listed_name_not_empty'), models.CheckConstraint(condition=models.Q(('player', None), models.Q(('email', ''), _negated=True), _connector='OR'), name='only_the_invited_become_players')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='tournaments.club')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='games.player')),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('director', 'Director'), ('moderator', 'Moderator'), ('member', 'Member')], default='member', max_length=9)),
                ('news', models.BooleanField(default=True)),
                ('home', models.BooleanField(default=False)),
                ('joined', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('club', 'player'), name='member_once_a_club'), models.UniqueConstraint(condition=models.Q(('home', True)), fields=('player',), name='one_home_club'), models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'director', 'moderator', 'member'])), name='member_role_known')],
            },
        ),
        migrations.CreateModel(
            name='PastResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='past_results', to='tournaments.club')),
                ('day', models.DateField()),
                ('event', models.CharField(max_length=80)),
                ('place', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1)])),
                ('name', models.CharField(blank=True, max_length=60)),
                ('player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='past_results', to='games.player')),
                ('points', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True)),
                ('added', models.DateTimeField(default=django.utils.timezone.now)),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='past_results_imported', to='games.player')),
            ],
            options={
                'ordering': ['-day', 'event', 'place', 'pk'],
                'indexes': [models.Index(fields=['club', '-day', 'event', 'place'], name='past_results_in_order')],
                'constraints': [models.CheckConstraint(condition=models.Q(('place__gte', 1)), name='past_place_from_one'), models.CheckConstraint(condition=models.Q(('player', None), ('name', ''), _connector='XOR'), name='past_player_or_name')],
            },
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='tournaments.pool')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='games.player')),
                ('mu', models.FloatField()),
                ('sigma', models.FloatField()),
                ('games', models.PositiveIntegerField()),
                ('latest', models.DateTimeField()),
                ('ranked_until', models.DateTimeField(default=django.utils.timezone.now)),
                ('opponents', models.PositiveSmallIntegerField(default=0)),
                ('only_club', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.club')),
            ],
            options={
                'ordering': ['pool', '-mu'],
                'indexes': [models.Index(fields=['pool', '-mu'], name='rating_of_pool')],
                'constraints': [models.UniqueConstraint(fields=('pool', 'player'), name='rating_once_a_pool')],
            },
        ),
        migrations.CreateModel(
            name='Season',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seasons', to='tournaments.club')),
                ('name', models.CharField(max_length=40)),
                ('first_day', models.DateField()),
                ('last_day', models.DateField()),
                ('rule_data', models.JSONField(blank=True, default=dict)),
                ('movers', models.PositiveSmallIntegerField(default=0)),
                ('team_best', models.PositiveSmallIntegerField(default=4)),
            ],
            options={
                'ordering': ['-first_day'],
                'constraints': [models.UniqueConstraint(models.F('club'), django.db.models.functions.text.Lower('name'), name='season_name_once_a_club'), models.CheckConstraint(condition=models.Q(('last_day__gte', models.F('first_day'))), name='season_has_days')],
            },
        ),
        migrations.CreateModel(
            name='Division',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('season', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='divisions', to='tournaments.season')),
                ('number', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=40)),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('season', 'number'), name='division_number_once'), models.UniqueConstraint(models.F('season'), django.db.models.functions.text.Lower('name'), name='division_name_once_a_season')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='tournaments.club')),
                ('name', models.CharField(max_length=80)),
                ('about', models.TextField(blank=True, max_length=2000)),
                ('rules_data', models.JSONField()),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events_made', to='games.player')),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('recurrence', models.CharField(blank=True, choices=[('', 'No'), ('weekly', 'Every week'), ('fortnightly', 'Every two weeks'), ('monthly', 'Every month, in the same week'), ('last', 'Every month, in the last week')], default='', max_length=11)),
                ('no_event_on', models.JSONField(blank=True, default=list)),
                ('play_offs_of', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='play_offs', to='tournaments.season')),
                ('repeat_of', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='repeats', to='tournaments.event')),
                ('place', models.CharField(choices=[('online', 'Online'), ('room', 'In the room, with real cards'), ('mixed', 'Some tables online, the others in the room')], default='online', max_length=6)),
                ('room_from', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('format', models.CharField(choices=[('rotation', 'Perfect rotation'), ('progressive', 'Progressive'), ('duplicate', 'Duplicate'), ('swiss', 'Swiss'), ('round_robin', 'Round robin'), ('duplicate_pairs', 'Duplicate pairs'), ('single_elimination', 'Single elimination'), ('double_elimination', 'Double elimination')], max_length=18)),
                ('rounds', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('movement', models.CharField(choices=[('up', 'Winners move up, losers stay'), ('up and down', 'Winners move up, losers move down'), ('stay', 'Winners stay, losers move down'), ('fixed', 'Fixed: North stays, South moves down, East up, West up two')], default='up', max_length=11)),
                ('cycles', models.PositiveSmallIntegerField(default=1)),
                ('third_place', models.BooleanField(default=False)),
                ('second_stage', models.CharField(blank=True, choices=[('rotation', 'Perfect rotation'), ('progressive', 'Progressive'), ('duplicate', 'Duplicate'), ('swiss', 'Swiss'), ('round_robin', 'Round robin'), ('duplicate_pairs', 'Duplicate pairs'), ('single_elimination', 'Single elimination'), ('double_elimination', 'Double elimination')], max_length=18)),
                ('qualifiers', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('match', models.CharField(choices=[('game', 'One game'), ('best_of_3', 'Best of three games'), ('best_of_5', 'Best of five games'), ('deals', 'A number of hands')], default='game', max_length=9)),
                ('deals', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('final_match', models.CharField(blank=True, choices=[('game', 'One game'), ('best_of_3', 'Best of three games'), ('best_of_5', 'Best of five games'), ('deals', 'A number of hands')], max_length=9)),
                ('final_deals', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('ties', models.CharField(choices=[('stand', 'It stands: half a win for each side'), ('hand', 'The table plays one more hand, until one side is ahead')], default='stand', max_length=5)),
                ('scoring', models.CharField(choices=[('points', 'The difference to the other tables in points'), ('matchpoints', 'Matchpoints: how many other tables it beats')], default='points', max_length=11)),
                ('tie_breaks', models.JSONField(default=list)),
                ('tie_break_edition', models.PositiveSmallIntegerField(default=tournaments.models.events.current_edition, editable=False)),
                ('sit_out', models.CharField(choices=[('average', 'They sit out and get their own average'), ('fixed', 'They sit out and get a fixed credit'), ('house', 'House players fill the table')], default='average', max_length=7)),
                ('credit_half_wins', models.PositiveSmallIntegerField(default=2)),
                ('late_half_wins', models.PositiveSmallIntegerField(default=0)),
                ('place_owner', models.CharField(choices=[('last', 'Whoever plays in it at the end'), ('first', 'Whoever had it first')], default='last', max_length=5)),
                ('handicap', models.PositiveSmallIntegerField(default=0)),
                ('rated', models.BooleanField(default=True)),
                ('house_prizes', models.BooleanField(default=False)),
                ('currency', models.CharField(blank=True, default='', max_length=3)),
                ('entry_money', models.PositiveIntegerField(default=0)),
                ('club_share', models.PositiveIntegerField(default=0)),
                ('lone_pot', models.PositiveIntegerField(default=0)),
                ('euchre_pot', models.PositiveIntegerField(default=0)),
                ('prizes', models.JSONField(blank=True, default=list)),
                ('capacity', models.PositiveSmallIntegerField()),
                ('minimum', models.PositiveSmallIntegerField(default=4)),
                ('members_only', models.BooleanField(default=True)),
                ('min_rating', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('max_rating', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('min_games', models.PositiveSmallIntegerField(default=0)),
                ('registration_opens', models.DateTimeField()),
                ('registration_closes', models.DateTimeField()),
                ('check_in_minutes', models.PositiveSmallIntegerField(default=0)),
                ('starts', models.DateTimeField(db_index=True)),
                ('put_off', models.DurationField(default=datetime.timedelta)),
                ('reminded', models.DateTimeField(blank=True, editable=False, null=True)),
                ('round_minutes', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('time_up', models.CharField(choices=[('hand', 'The hand being played is finished, then the score decides'), ('score', 'The score decides at once')], default='hand', max_length=5)),
                ('break_seconds', models.PositiveSmallIntegerField(default=60)),
                ('turn_seconds', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('delayed', models.BooleanField(default=False)),
                ('no_show', models.CharField(choices=[('forfeit', 'Their side loses the match'), ('stand_in', 'A house player plays for them until they come')], default='forfeit', max_length=8)),
                ('no_show_minutes', models.PositiveSmallIntegerField(default=5)),
                ('withdraw_absent', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('announced', 'Announced'), ('registration', 'Registration open'), ('check_in', 'Check-in'), ('ready', 'Registration closed'), ('running', 'Running'), ('finished', 'Finished'), ('cancelled', 'Cancelled')], db_index=True, default='draft', max_length=12)),
                ('seed', models.CharField(default=tournaments.models.events.new_seed, editable=False, max_length=32)),
                ('join_code', models.CharField(blank=True, editable=False, max_length=5)),
                ('due', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('paused', models.DateTimeField(blank=True, null=True)),
                ('paused_for', models.DurationField(default=datetime.timedelta)),
                ('started', models.DateTimeField(blank=True, null=True)),
                ('final_at', models.DateTimeField(blank=True, null=True)),
                ('ended', models.DateTimeField(blank=True, null=True)),
                ('cut_to', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('to_rate', models.BooleanField(default=False)),
                ('version', models.PositiveIntegerField(default=0)),
                ('trouble', models.CharField(blank=True, max_length=300)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                'ordering': ['starts', 'pk'],
                'indexes': [models.Index(fields=['ended'], name='event_in_order_of_end'), models.Index(condition=models.Q(('to_rate', True)), fields=['ended'], name='event_to_rate')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'announced', 'registration', 'check_in', 'ready', 'running', 'finished', 'cancelled'])), name='event_state_known'), models.CheckConstraint(condition=models.Q(('registration_opens__lte', models.F('registration_closes')), ('registration_closes__lte', models.F('starts'))), name='event_times_in_order'), models.CheckConstraint(condition=models.Q(('minimum__lte', models.F('capacity'))), name='event_minimum_within_capacity'), models.CheckConstraint(condition=models.Q(('entry_money__gte', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('club_share'), '+', models.F('lone_pot')), '+', models.F('euchre_pot')))), name='event_shares_within_entry_money'), models.UniqueConstraint(fields=('repeat_of', 'starts'), name='event_repeats_once'), models.UniqueConstraint(condition=models.Q(('ended', None), models.Q(('join_code', ''), _negated=True)), fields=('join_code',), name='event_join_code_once')],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='tournaments.event')),
                ('state', models.CharField(choices=[('seeking', 'Looks for a partner'), ('inviting', 'Has asked a partner'), ('waiting', 'On the waiting list'), ('entered', 'Entered'), ('checked_in', 'Checked in'), ('withdrawn', 'Withdrawn'), ('no_show', 'Did not come')], max_length=10)),
                ('arrival', models.PositiveIntegerField(blank=True, null=True)),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
                ('invited', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='partner_invitations', to='games.player')),
                ('here', models.BooleanField(default=False)),
                ('house', models.BooleanField(default=False)),
                ('seed', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('lot', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('qualified', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('place', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('first_round', models.PositiveSmallIntegerField(default=1)),
                ('missed', models.PositiveSmallIntegerField(default=0)),
                ('warned', models.BooleanField(default=False)),
                ('paid', models.DateTimeField(blank=True, null=True)),
                ('strength', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('table_place', models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'entries',
                'ordering': ['event', 'arrival', 'pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['seeking', 'inviting', 'waiting', 'entered', 'checked_in', 'withdrawn', 'no_show'])), name='entry_state_known'), models.UniqueConstraint(fields=('event', 'arrival'), name='entry_arrival_once'), models.UniqueConstraint(fields=('event', 'seed'), name='entry_seed_once'), models.UniqueConstraint(fields=('event', 'lot'), name='entry_lot_once')],
            },
        ),
        migrations.CreateModel(
            name='FairPlayLook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='fair_play_look', to='games.game')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fair_play_looks', to='tournaments.event')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('failed', models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name='FairPlayMatter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fair_play_matters', to='tournaments.club')),
                ('event', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='fair_play_matters', to='tournaments.event')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='fair_play_matters', to='games.player')),
                ('kind', models.CharField(choices=[('address', 'One address at two seats'), ('calls', 'Calls and a partner’s cards'), ('left', 'Seats left while behind'), ('clock', 'Turns near the end of the clock')], max_length=7)),
                ('sign', models.CharField(max_length=60)),
                ('said', models.CharField(max_length=500)),
                ('opened_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='games.player')),
                ('opened', models.DateTimeField(default=django.utils.timezone.now)),
                ('games', models.ManyToManyField(related_name='+', to='games.game')),
            ],
            options={
                'ordering': ['-opened', '-pk'],
                'constraints': [models.UniqueConstraint(fields=('club', 'sign', 'player'), name='fair_play_matter_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['address', 'calls', 'left', 'clock'])), name='fair_play_matter_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='FairPlayAct',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('matter', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='acts', to='tournaments.fairplaymatter')),
                ('kind', models.CharField(choices=[('note', 'Noted'), ('ask', 'Asked the player'), ('answer', 'The player’s answer'), ('hold', 'Ratings of the games wait'), ('set_aside', 'A result set aside'), ('dismiss', 'Dismissed'), ('take_back', 'Taken back'), ('appeal', 'The player’s appeal'), ('uphold', 'Appeal: what was done stands'), ('allow', 'Appeal: what was done is taken back')], max_length=9)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='games.player')),
                ('role', models.CharField(max_length=20)),
                ('words', models.CharField(max_length=1000)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('done', models.JSONField(blank=True, default=dict)),
                ('takes_back', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='taken_back', to='tournaments.fairplayact')),
            ],
            options={
                'ordering': ['at', 'pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['note', 'ask', 'answer', 'hold', 'set_aside', 'dismiss', 'take_back', 'appeal', 'uphold', 'allow'])), name='fair_play_act_kind_known'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'take_back'), ('takes_back__isnull', False)), models.Q(models.Q(('kind', 'take_back'), _negated=True), ('takes_back__isnull', True)), _connector='OR'), name='fair_play_act_takes_back_one')],
            },
        ),
        migrations.CreateModel(
            name='FairPlayMeasure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fair_play_measures', to='games.game')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fair_play_measures', to='tournaments.event')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='games.player')),
                ('partner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='games.player')),
                ('ended', models.DateTimeField()),
                ('calls', models.PositiveSmallIntegerField(default=0)),
                ('held', models.FloatField(default=0.0)),
                ('held_squares', models.FloatField(default=0.0)),
                ('gained', models.FloatField(default=0.0)),
                ('gained_squares', models.FloatField(default=0.0)),
                ('lost', models.BooleanField(default=False)),
                ('left_behind', models.BooleanField(default=False)),
                ('turns_behind', models.PositiveSmallIntegerField(default=0)),
                ('turns_level', models.PositiveSmallIntegerField(default=0)),
                ('turns_ahead', models.PositiveSmallIntegerField(default=0)),
                ('late_behind', models.PositiveSmallIntegerField(default=0)),
                ('late_level', models.PositiveSmallIntegerField(default=0)),
                ('late_ahead', models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                'ordering': ['-ended', '-pk'],
                'indexes': [models.Index(fields=['event', '-ended'], name='fair_play_of_event')],
                'constraints': [models.UniqueConstraint(fields=('game', 'player'), name='fair_play_once_a_game')],
            },
        ),
        migrations.CreateModel(
            name='KeptApart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='kept_apart', to='tournaments.event')),
                ('one', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entry')),
                ('other', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.entry')),
                ('kind', models.CharField(choices=[('partners', 'Never partners'), ('tables', 'Never at one table')], max_length=8)),
            ],
            options={
                'verbose_name_plural': 'kept apart',
                'ordering': ['event', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('one', 'other'), name='kept_apart_once'), models.CheckConstraint(condition=models.Q(('one__lt', models.F('other'))), name='kept_apart_in_order'), models.CheckConstraint(condition=models.Q(('kind__in', ['partners', 'tables'])), name='kept_apart_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='Letter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=120, unique=True)),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='letters', to=settings.AUTH_USER_MODEL)),
                ('address', models.EmailField(blank=True, max_length=254)),
                ('reminds_of', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reminders', to='tournaments.event')),
                ('subject', models.CharField(max_length=150)),
                ('text', models.TextField()),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
                ('due', models.DateTimeField(blank=True, db_index=True, default=django.utils.timezone.now, null=True)),
                ('sent', models.DateTimeField(blank=True, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                'ordering': ['made', 'pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('address', ''), ('user__isnull', False)), models.Q(('user__isnull', True), models.Q(('address', ''), _negated=True)), _connector='OR'), name='letter_has_one_receiver')],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='tournaments.event')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to='games.player')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('text', models.CharField(max_length=300)),
                ('public', models.BooleanField(default=False)),
            ],
            options={
                'ordering': ['-at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='RoomTable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='room_tables', to='tournaments.event')),
                ('number', models.PositiveSmallIntegerField()),
                ('code', models.CharField(default=tournaments.models.room.new_table_code, editable=False, max_length=8, unique=True)),
                ('renewed', models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                'ordering': ['event', 'number'],
                'constraints': [models.UniqueConstraint(fields=('event', 'number'), name='room_table_once_an_event')],
            },
        ),
        migrations.CreateModel(
            name='RetiredCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='retired_codes', to='tournaments.roomtable')),
                ('code', models.CharField(editable=False, max_length=8, unique=True)),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='played_rounds', to='tournaments.event')),
                ('number', models.PositiveSmallIntegerField()),
                ('stage', models.PositiveSmallIntegerField(default=1)),
                ('called', models.DateTimeField(default=django.utils.timezone.now)),
                ('ends', models.DateTimeField(blank=True, null=True)),
                ('over', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['event', 'number'],
                'constraints': [models.UniqueConstraint(fields=('event', 'number'), name='round_once_an_event')],
            },
        ),
        migrations.CreateModel(
            name='Pairing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairings', to='tournaments.round')),
                ('number', models.PositiveSmallIntegerField()),
                ('table', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='pairing', to='games.table')),
                ('in_room', models.BooleanField(default=False)),
                ('final', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('called', 'Called'), ('playing', 'Playing'), ('decided', 'Decided')], db_index=True, default='called', max_length=8)),
                ('how', models.CharField(blank=True, choices=[('played', 'Played'), ('time', 'On time'), ('forfeit', 'Forfeit'), ('director', 'By the director')], max_length=8)),
                ('winner', models.SmallIntegerField(default=-1)),
                ('points_0', models.PositiveSmallIntegerField(default=0)),
                ('points_1', models.PositiveSmallIntegerField(default=0)),
                ('games_0', models.PositiveSmallIntegerField(default=0)),
                ('games_1', models.PositiveSmallIntegerField(default=0)),
                ('lone_0', models.PositiveSmallIntegerField(default=0)),
                ('lone_1', models.PositiveSmallIntegerField(default=0)),
                ('time_up', models.CharField(blank=True, max_length=20)),
                ('rated', models.BooleanField(default=False)),
                ('played_out', models.BooleanField(default=False)),
                ('deal_results', models.JSONField(blank=True, default=list)),
                ('scores', models.JSONField(blank=True, default=list)),
                ('more_minutes', models.PositiveSmallIntegerField(default=0)),
                ('penalty_0', models.SmallIntegerField(default=0)),
                ('penalty_1', models.SmallIntegerField(default=0)),
                ('decided', models.DateTimeField(blank=True, null=True)),
                ('director_called', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['round', 'number'],
                'indexes': [models.Index(condition=models.Q(('director_called__isnull', False)), fields=['round'], name='pairing_calls_director')],
                'constraints': [models.UniqueConstraint(fields=('round', 'number'), name='pairing_number_once_a_round'), models.CheckConstraint(condition=models.Q(('state__in', ['called', 'playing', 'decided'])), name='pairing_state_known'), models.CheckConstraint(condition=models.Q(('winner__gte', -1), ('winner__lte', 1)), name='pairing_winner_a_side')],
            },
        ),
        migrations.CreateModel(
            name='Correction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pairing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='corrections', to='tournaments.pairing')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='games.player')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('before', models.JSONField()),
                ('after', models.JSONField()),
                ('reason', models.CharField(max_length=200)),
            ],
            options={
                'ordering': ['at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='RatingChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pool', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='tournaments.pool')),
                ('pairing', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='rating_changes', to='tournaments.pairing')),
                ('game', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='rating_changes', to='games.game')),
                ('number', models.PositiveSmallIntegerField()),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='rating_changes', to='games.player')),
                ('position', models.PositiveIntegerField()),
                ('side', models.PositiveSmallIntegerField()),
                ('winner', models.SmallIntegerField()),
                ('expected', models.FloatField()),
                ('weight', models.FloatField(default=1.0)),
                ('mu_before', models.FloatField()),
                ('sigma_before', models.FloatField()),
                ('mu_after', models.FloatField()),
                ('sigma_after', models.FloatField()),
                ('opponents', models.PositiveSmallIntegerField(default=0)),
                ('at', models.DateTimeField()),
            ],
            options={
                'ordering': ['pool', 'position', 'pk'],
                'indexes': [models.Index(fields=['player', 'pool', 'position'], name='rating_change_of_player'), models.Index(fields=['pool', 'position'], name='rating_change_in_order')],
                'constraints': [models.UniqueConstraint(fields=('pairing', 'number', 'player'), name='rating_change_once_a_game'), models.UniqueConstraint(condition=models.Q(('game__isnull', False)), fields=('game', 'player'), name='rating_change_once_a_quick_game'), models.CheckConstraint(condition=models.Q(models.Q(('game__isnull', True), ('pairing__isnull', False)), models.Q(('game__isnull', False), ('pairing__isnull', True)), _connector='OR'), name='rating_change_of_one_game')],
            },
        ),
        migrations.CreateModel(
            name='RatingHold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pairing', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='rating_hold', to='tournaments.pairing')),
                ('game', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='rating_hold', to='games.game')),
                ('reason', models.CharField(choices=[('few', 'Many matches between the same few'), ('fast', 'Many or fast games in little time'), ('address', 'Many matches from one address'), ('club', 'A moderator of the club asked for it')], max_length=7)),
                ('found', models.CharField(max_length=200)),
                ('state', models.CharField(choices=[('waiting', 'Waiting for a moderator'), ('passed', 'Let through'), ('refused', 'Not rated')], db_index=True, default='waiting', max_length=7)),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='games.player')),
                ('decided', models.DateTimeField(blank=True, null=True)),
                ('words', models.CharField(blank=True, max_length=200)),
            ],
            options={
                'ordering': ['made', 'pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'passed', 'refused'])), name='rating_hold_state_known'), models.CheckConstraint(condition=models.Q(('reason__in', ['few', 'fast', 'address', 'club'])), name='rating_hold_reason_known'), models.CheckConstraint(condition=models.Q(models.Q(('game__isnull', True), ('pairing__isnull', False)), models.Q(('game__isnull', False), ('pairing__isnull', True)), _connector='OR'), name='rating_hold_of_one_game')],
            },
        ),
        migrations.CreateModel(
            name='PairingEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tournaments.round')),
                ('pairing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='tournaments.pairing')),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pairings', to='tournaments.entry')),
                ('side', models.PositiveSmallIntegerField()),
                ('position', models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                'ordering': ['pairing', 'side', 'position'],
                'constraints': [models.UniqueConstraint(fields=('round', 'entry'), name='entry_drawn_once_a_round'), models.UniqueConstraint(fields=('pairing', 'side', 'position'), name='pairing_seat_once')],
            },
        ),
        migrations.CreateModel(
            name='Act',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='acts', to='tournaments.event')),
                ('kind', models.CharField(choices=[('start', 'Started the event'), ('pause', 'Paused the event'), ('resume', 'Resumed the event'), ('time', 'Moved the end of the round'), ('more_time', 'Gave a table more time'), ('time_up', 'Ended the round’s time'), ('next_round', 'Ended the break'), ('final', 'Made the results final'), ('cancel', 'Cancelled the event'), ('message', 'Wrote to all'), ('house', 'Added house players'), ('enter', 'Entered'), ('late', 'Let in late'), ('substitute', 'Put in a substitute'), ('claim', 'Claimed a walk-in’s results'), ('check_in', 'Checked in'), ('table_code', 'Gave a table a new code'), ('code', 'Gave a walk-in a new code'), ('name', 'Changed a walk-in’s name'), ('withdraw', 'Withdrew'), ('put_back', 'Put back'), ('result', 'Set a result'), ('penalty', 'Gave a penalty'), ('reopen', 'Had a match played again'), ('move', 'Moved a table'), ('seats', 'Changed seats'), ('take_back', 'Took a round back'), ('redraw', 'Drew a round again'), ('undo', 'Undid')], max_length=10)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='games.player')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('round', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tournaments.round')),
                ('pairing', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='acts', to='tournaments.pairing')),
                ('entry', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='acts', to='tournaments.entry')),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('undoes', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='undone_by', to='tournaments.act')),
                ('before', models.JSONField(default=dict)),
                ('after', models.JSONField(default=dict)),
                ('kept', models.JSONField(default=dict)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='ScoreLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pairing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='score_lines', to='tournaments.pairing')),
                ('key', models.CharField(max_length=40, unique=True)),
                ('kind', models.CharField(choices=[('hand', 'Wrote a hand'), ('game', 'Wrote the score of a game'), ('take_back', 'Took the last hand or game back'), ('sign', 'Signed the score'), ('dispute', 'Disputed the score'), ('penalty', 'Gave a penalty'), ('lift', 'Lifted a penalty')], max_length=9)),
                ('side', models.PositiveSmallIntegerField()),
                ('number', models.PositiveSmallIntegerField(default=0)),
                ('values', models.JSONField(default=dict)),
                ('said', models.CharField(blank=True, max_length=200)),
                ('phone', models.CharField(blank=True, max_length=64)),
                ('player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='games.player')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='DivisionPlayer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('season', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='division_players', to='tournaments.season')),
                ('division', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='players', to='tournaments.division')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='divisions', to='games.player')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('season', 'player'), name='one_division_a_season')],
            },
        ),
        migrations.CreateModel(
            name='SeasonChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('season', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='tournaments.season')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='games.player')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('before', models.JSONField(blank=True, default=dict)),
                ('after', models.JSONField(blank=True, default=dict)),
                ('words', models.TextField(blank=True)),
            ],
            options={
                'ordering': ['-at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='SeasonTeam',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('season', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='teams', to='tournaments.season')),
                ('name', models.CharField(max_length=40)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(models.F('season'), django.db.models.functions.text.Lower('name'), name='team_name_once_a_season')],
            },
        ),
        migrations.CreateModel(
            name='SitOut',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sit_outs', to='tournaments.round')),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sit_outs', to='tournaments.entry')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('round', 'entry'), name='sit_out_once_a_round')],
            },
        ),
        migrations.CreateModel(
            name='Substitution',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='substitutions', to='tournaments.entry')),
                ('position', models.PositiveSmallIntegerField()),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats_left', to='games.player')),
                ('until', models.PositiveSmallIntegerField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['entry', 'until', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='TeamPlayer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('season', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='team_players', to='tournaments.season')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='players', to='tournaments.seasonteam')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='teams', to='games.player')),
                ('substitute', models.BooleanField(default=False)),
            ],
            options={
                'ordering': ['substitute', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('season', 'player'), name='one_team_a_season')],
            },
        ),
        migrations.CreateModel(
            name='Trophy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trophies', to='tournaments.event')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trophies', to='games.player')),
                ('place', models.PositiveSmallIntegerField()),
                ('entrants', models.PositiveSmallIntegerField()),
            ],
            options={
                'verbose_name_plural': 'trophies',
                'ordering': ['event', 'place'],
                'constraints': [models.UniqueConstraint(fields=('event', 'player'), name='trophy_once_an_event')],
            },
        ),
        migrations.CreateModel(
            name='WalkIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='walk_ins', to='tournaments.event')),
                ('player', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='walk_in', to='games.player')),
                ('code', models.CharField(default=tournaments.models.walk_ins.new_code, max_length=8, unique=True)),
                ('claimed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='claims', to='games.player')),
                ('claimed', models.DateTimeField(blank=True, null=True)),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'verbose_name': 'walk-in',
                'ordering': ['event', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='tournaments.club')),
                ('url', models.URLField(max_length=300)),
                ('secret', models.BinaryField()),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('paused', models.BooleanField(default=False)),
            ],
            options={
                'ordering': ['created'],
                'constraints': [models.UniqueConstraint(fields=('club', 'url'), name='webhook_once_a_club')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='tournaments.webhook')),
                ('key', models.CharField(max_length=60)),
                ('body', models.TextField()),
                ('created', models.DateTimeField(default=django.utils.timezone.now)),
                ('due', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('trouble', models.CharField(blank=True, max_length=200)),
                ('arrived', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-created'],
                'constraints': [models.UniqueConstraint(fields=('webhook', 'key'), name='delivery_once_a_webhook')],
            },
        ),
        migrations.CreateModel(
            name='EntryPlayer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entered_players', to='tournaments.event')),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='players', to='tournaments.entry')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='games.player')),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('active', models.BooleanField(default=True)),
            ],
            options={
                'ordering': ['entry', 'position'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('active', True)), fields=('event', 'player'), name='player_once_an_event'), models.UniqueConstraint(fields=('entry', 'position'), name='entry_position_once')],
            },
        ),
    ]
