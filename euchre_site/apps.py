"""Django app configurations of the site and its admin pages."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class SiteConfig(AppConfig):
    name = "euchre_site"

    def ready(self) -> None:
        """Connect the signal receivers, and load the Celery app that sends all tasks."""
        from euchre_site import celery, security_log  # noqa: F401
        from euchre_site.accounts import accounts  # noqa: F401


class AdminConfig(admin.AdminConfig):
    """Django's admin pages, if enabled, with this site's login."""

    default_site = "euchre_site.guards.two_steps.AdminSite"
