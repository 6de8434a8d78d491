from typing import Any

from django.db import migrations, models

from games.lookalikes import skeleton_of

BATCH = 1000


def fill(apps: Any, _schema_editor: Any) -> None:
    """Give every name its skeleton; of owners whose names look alike only the first has it.

    The others keep their names, and are free to keep them: what is new must differ from the first.
    """
    players = apps.get_model("games", "Player").objects
    seen: set[str] = set()
    batch: list[Any] = []
    for player in players.order_by("pk").iterator(BATCH):
        skeleton = skeleton_of(player.name)
        owner = player.user_id is not None or player.kind == "program"
        player.skeleton = "" if owner and skeleton in seen else skeleton
        if owner:
            seen.add(skeleton)
        batch.append(player)
        if len(batch) == BATCH:
            players.bulk_update(batch, ["skeleton"])
            batch.clear()
    players.bulk_update(batch, ["skeleton"])


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0009_hands_stood_in'),
    ]

    operations = [
        migrations.AddField(
            model_name='player',
            name='skeleton',
            field=models.CharField(blank=True, db_index=True, default='', editable=False, max_length=120),
            preserve_default=False,
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='player',
            constraint=models.UniqueConstraint(condition=models.Q(models.Q(('user__isnull', False), ('kind', 'program'), _connector='OR'), models.Q(('skeleton', ''), _negated=True)), fields=('skeleton',), name='player_name_is_one_s_own'),
        ),
    ]
