"""Deals that several tables play, for example those of a round of a duplicate event."""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone


class SharedDeals(models.Model):
    """The shuffle that several tables share, from the server's commitment on.

    Its id is the match of the shuffle. `secret` is encrypted. `seats` is the number of seats at all
    tables, four each, in the order of `Table.number_in_deals`. `frozen`: when the seats'
    commitments were fixed in `seat_commitments`; `due`: when it continues without missing numbers.
    `mixed`: when the numbers are in `contributions`, their mix; empty before. `opened`: when the
    last table had finished; until then nobody but the four at a table may see anything of it.
    `opens_from`: tables join until then, so it is opened no earlier, even while none plays; such
    deals have one table's seats, which contribute nothing, and are mixed as they are made.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    secret = models.BinaryField()
    commitment = models.BinaryField(max_length=32)
    seats = models.PositiveSmallIntegerField()
    made = models.DateTimeField(default=timezone.now)
    frozen = models.DateTimeField(null=True, blank=True)
    due = models.DateTimeField(null=True, blank=True)
    seat_commitments = models.BinaryField(default=bytes)
    contributions = models.BinaryField(default=bytes)
    mixed = models.BinaryField(max_length=32, default=bytes)
    first_dealer = models.PositiveSmallIntegerField(default=0)
    opens_from = models.DateTimeField(null=True, blank=True)
    opened = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "shared deals"
        indexes: ClassVar = [
            models.Index(
                fields=["made"], condition=models.Q(opened=None), name="shared_deals_to_open"
            ),
            models.Index(
                fields=["opened"],
                condition=models.Q(opened__isnull=False),
                name="shared_deals_by_opening",
            ),
        ]

    def __str__(self) -> str:
        return f"Shared deals {self.pk}"


def sealed(table: str = "table") -> models.Q:
    """Return the condition that a table's deals are shared and other tables still play them.

    table: the path from the model that is filtered to the table; empty for tables themselves. This
    and `Table.sealed` are the only questions that decide whether a game may be shown: every reader
    of games leaves out the sealed ones, except the table's own page for those who sit there.
    """
    path = f"{table}__" if table else ""
    return models.Q(
        **{f"{path}shared_deals__isnull": False, f"{path}shared_deals__opened__isnull": True}
    )
