"""Signs of life of the site's processes."""

from django.db import models


class Heartbeat(models.Model):
    """The last sign of life of a part of the site, such as the schedule, in any process."""

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"
