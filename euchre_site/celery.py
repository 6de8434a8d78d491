"""The task queue: settings named CELERY_*; tasks are the apps' `tasks` modules."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "euchre_site.settings")

app = Celery("bower")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.set_default()  # in every thread, not only in the one that imports this


@setup_logging.connect
def keep_our_logging(**_kwargs: Any) -> None:
    """Keep Celery from replacing the logging that Django has set up."""
