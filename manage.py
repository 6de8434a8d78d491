#!/usr/bin/env python
"""Django's command line for Bower; `quickstart` is the one command a newcomer needs."""

import os
import sys

from euchre_site.run.quickstart import prepare


def main() -> None:
    """Run one management command; `quickstart` first gets its data folder and secret keys."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "euchre_site.settings")
    if sys.argv[1:2] == ["quickstart"]:
        prepare(sys.argv[2:])
    from django.core.management import execute_from_command_line

    from euchre_site.run.starting import load_settings

    load_settings()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
