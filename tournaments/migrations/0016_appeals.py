"""An appeal against each thing that was done, where one had to do for all that came later.

It is taken back only while nobody has appealed twice in one matter.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0015_fair_play")]

    operations = [
        migrations.RemoveConstraint(model_name="fairplayact", name="fair_play_one_appeal"),
    ]
