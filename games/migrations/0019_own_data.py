import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def tell_nobody_of_the_past(apps, _schema_editor):
    """Empty what tables tell of who has just come or left: it named them, and has their number now."""
    apps.get_model("games", "Table").objects.exclude(comings=[]).update(comings=[])


class Migration(migrations.Migration):
    """Keep what people ask about their own data, and mark those who have gone."""

    dependencies = [
        ('games', '0018_leaner_journal'),
    ]

    operations = [
        migrations.CreateModel(
            name='Deletion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked', models.DateTimeField(default=django.utils.timezone.now)),
                ('due', models.DateTimeField(db_index=True)),
                ('hindered', models.CharField(blank=True, max_length=300)),
            ],
            options={
                'ordering': ['due', 'pk'],
            },
        ),
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
            name='HeldName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('until', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='PastName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=30)),
                ('until', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['until', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Takeaway',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked', models.DateTimeField(default=django.utils.timezone.now)),
                ('due', models.DateTimeField(blank=True, db_index=True, default=django.utils.timezone.now, null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('made', models.DateTimeField(blank=True, null=True)),
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
            ],
            options={
                'ordering': ['takeaway', 'number'],
            },
        ),
        migrations.AddField(
            model_name='player',
            name='former',
            field=models.BooleanField(default=False),
        ),
        migrations.AddConstraint(
            model_name='player',
            constraint=models.CheckConstraint(condition=models.Q(('former', False), ('user', None), _connector='OR'), name='player_who_has_gone_has_no_account'),
        ),
        migrations.AddField(
            model_name='deletion',
            name='user',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='deletion', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='pastname',
            name='player',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='past_names', to='games.player'),
        ),
        migrations.AddField(
            model_name='takeaway',
            name='player',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='takeaways', to='games.player'),
        ),
        migrations.AddField(
            model_name='takeawayfile',
            name='takeaway',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='games.takeaway'),
        ),
        migrations.AddConstraint(
            model_name='takeawayfile',
            constraint=models.UniqueConstraint(fields=('takeaway', 'number'), name='takeaway_file_once'),
        ),
        migrations.RunPython(tell_nobody_of_the_past, migrations.RunPython.noop),
    ]
