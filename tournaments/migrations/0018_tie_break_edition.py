"""Each event keeps the edition of FIDE's tie-break regulations that its standings go by.

Events that are there already have that of 2023; one that has not started takes the current one
when it does.
"""

from django.db import migrations, models

import tournaments.models.events


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0017_withdrawal_of_absent_entries")]

    operations = [
        migrations.AddField(
            model_name="event",
            name="tie_break_edition",
            field=models.PositiveSmallIntegerField(default=2023, editable=False),
        ),
        migrations.AlterField(
            model_name="event",
            name="tie_break_edition",
            field=models.PositiveSmallIntegerField(
                default=tournaments.models.events.current_edition, editable=False
            ),
        ),
    ]
