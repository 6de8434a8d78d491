"""The only club in which somebody has been rated, without which a ring ranks itself.

It is filled in when the ratings are counted again, which the new number of the model lets happen.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0018_tie_break_edition")]

    operations = [
        migrations.AddField(
            model_name="rating",
            name="only_club",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tournaments.club",
            ),
        ),
    ]
