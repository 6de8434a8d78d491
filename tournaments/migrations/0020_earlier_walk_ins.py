"""Put people who were entered by name before clubs had a list of people on paper on that list.

Of several nights under one name the latest is taken: whether the others are the same person is for
a director to say. Names that are on the list already are left alone.
"""

from django.db import migrations


def put_on_list(apps, schema_editor):
    database = schema_editor.connection.alias
    walk_ins = apps.get_model("tournaments", "WalkIn").objects.using(database)
    listed = apps.get_model("tournaments", "ListedName").objects.using(database)
    known = {(club, name.casefold()) for club, name in listed.values_list("club", "name")}
    unlisted = walk_ins.filter(listed=None, claimed_by=None, player__former=False)
    unlisted = unlisted.exclude(player__name__regex=r"^(Walk-in|Former player) [0-9]+$")
    for one in unlisted.select_related("event", "player").order_by("-event__starts", "-pk"):
        name = one.player.name[:60]
        key = one.event.club_id, name.casefold()
        if name and key not in known:
            known.add(key)
            row = listed.create(
                club_id=one.event.club_id, name=name, plays_as=one.player, added=one.made
            )
            walk_ins.filter(pk=one.pk).update(listed=row)


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0019_pairing_objection_answered")]
    operations = [migrations.RunPython(put_on_list, migrations.RunPython.noop)]
