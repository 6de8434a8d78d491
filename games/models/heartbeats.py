"""Signs of life of the site's processes."""

from django.db import models


class Heartbeat(models.Model):
    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"
