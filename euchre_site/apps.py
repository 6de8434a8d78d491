"""The site: settings, the one-command server and the pages that belong to no app."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class SiteConfig(AppConfig):
    """Makes the site's commands, template tags and task queue known to Django."""

    name = "euchre_site"

    def ready(self) -> None:
        """Connect the receivers, and load the task queue so that all send tasks to one broker."""
        from euchre_site import celery, security_log  # noqa: F401
        from euchre_site.accounts import accounts  # noqa: F401


class AdminConfig(admin.AdminConfig):
    """Django's admin pages, if there are any, with this site's login."""

    default_site = "euchre_site.guards.two_steps.AdminSite"
