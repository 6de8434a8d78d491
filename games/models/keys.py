"""Fingerprints of the secret keys that a database belongs to."""

from django.db import models


class KeyMark(models.Model):
    name = models.CharField(max_length=20, primary_key=True)
    mark = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"the mark of {self.name}"
