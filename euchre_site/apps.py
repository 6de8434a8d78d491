"""The site: settings, the one-command server and the pages that belong to no app."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Makes the site's commands, template tags and task queue known to Django."""

    name = "euchre_site"

    def ready(self) -> None:
        """Load the task queue, so that every process sends tasks to the configured broker."""
        from euchre_site import celery  # noqa: F401
