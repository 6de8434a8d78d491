#!/usr/bin/env python
"""Django's command line for Bower; `quickstart` is the one command a newcomer needs."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence

from euchre_site.startup.data_folder import (
    prepare,
    prepare_backup,
    prepare_no_keys,
    prepare_restore,
    prepare_start,
)

#: What is done for a command before the settings are loaded.
FIRST: Mapping[str, Callable[[Sequence[str]], object]] = {
    "quickstart": prepare_start,
    "make_keys": prepare,
    "backup": prepare_backup,
    "restore": prepare_restore,
    "push_key": prepare_no_keys,
}


def main() -> None:
    """Run one management command; some first get their data folder, and what keys they need."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "euchre_site.settings")
    verb, arguments = "".join(sys.argv[1:2]), sys.argv[2:]
    if verb in FIRST:
        FIRST[verb](arguments)
    from django.core.management import execute_from_command_line

    from euchre_site.health import doctor
    from euchre_site.startup import startup

    if verb == "doctor":
        doctor.load_settings(arguments)
    else:
        startup.load_settings()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)
