#!/usr/bin/env python
"""Django's command line for Bower; `quickstart` is the one command a newcomer needs."""

import os
import sys

from euchre_site.run.quickstart import prepare


def main() -> None:
    """Run one management command; some first get a data folder and secret keys."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "euchre_site.settings")
    verb, arguments = sys.argv[1:2], sys.argv[2:]
    if verb in (["quickstart"], ["make_keys"]):
        prepare(arguments)
    from django.core.management import execute_from_command_line

    from euchre_site.run import doctor, starting

    if verb == ["doctor"]:
        doctor.load_settings(arguments)
    else:
        starting.load_settings()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
