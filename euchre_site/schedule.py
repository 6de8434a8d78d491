"""`celery beat` without the apps: the schedule sends tasks by their names and needs no model.

It is a process of its own on larger sites, and with the apps would take as much memory as a worker.
"""

import sys
from multiprocessing import get_context

import django
from celery.apps.beat import Beat
from django.apps import apps
from django.conf import settings
from django.utils.log import configure_logging

from euchre_site.celery import app
from euchre_site.run import starting


class ScheduleProgram(Beat):
    """Celery's beat, which loads no tasks."""

    def init_loader(self) -> None:
        """Load the settings' logging; end the process if the database does not fit.

        With metrics the apps are loaded all the same: what is told is asked of their models.
        """
        refuse_a_database_that_does_not_fit()
        if settings.METRICS_ADDRESS is None:
            configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
            apps.populate(())
        else:
            django.setup()
        app.finalize()


def refuse_a_database_that_does_not_fit() -> None:
    """End the process with one line if the database is not of this code and these keys.

    To find out takes the apps and all migrations: a process does it that ends with the answer.
    """
    looking = get_context("fork").Process(target=_look)
    looking.start()
    looking.join()
    if looking.exitcode:
        sys.exit(looking.exitcode)


def _look() -> None:
    django.setup()
    try:
        starting.check()
    except starting.StartError as error:
        starting.end(error, error.status)
