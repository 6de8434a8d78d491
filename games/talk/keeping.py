"""Deleting what was said once no report needs it any more."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from games.models import TalkLine, TalkReport

#: Rows per statement, so that none blocks the database for long.
CHUNK: Final = 1000


def delete_old(now: datetime) -> int:
    """Delete lines after `TALK_DAYS`, and the words kept with reports; return how many lines."""
    before = now - timedelta(days=settings.TALK_DAYS)
    deleted = 0
    while some := list(TalkLine.objects.filter(at__lt=before).values_list("pk", flat=True)[:CHUNK]):
        deleted += TalkLine.objects.filter(pk__in=some).delete()[0]
    TalkReport.objects.filter(made__lt=before).exclude(lines=[]).update(lines=[])
    return deleted
