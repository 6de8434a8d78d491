"""`manage.py quickstart`: all of Bower with one command, in one process."""

import io
import os
import webbrowser
from contextlib import AbstractContextManager, suppress
from typing import Any

import structlog
from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.core.management.base import CommandParser, OutputWrapper
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from filelock import FileLock, Timeout

from euchre_site.run.server import listen, serve
from euchre_site.startup import network, startup
from euchre_site.startup.startup import StartError
from euchre_site.static_files import static_files
from tournaments.demonstration import demo

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = "Create a data folder, keys and a database if missing, then run Bower until Ctrl-C."
    requires_system_checks = ()  # for speed; the tests run them

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", default="8000", help="port to listen on; 0 for any free one")
        parser.add_argument("--data", metavar="DIR", help="folder for all data; default: var")
        parser.add_argument(
            "--demo", action="store_true", help="add a club with events played by house players"
        )
        parser.add_argument("--no-browser", action="store_true", help="do not open the page")

    def handle(self, *_args: Any, **options: Any) -> None:
        if settings.LOG_FORMAT == "json":
            self.stdout = OutputWrapper(LogLines())
        host, port = options["host"], self.port(options["port"])
        try:
            listener = listen(host, port)
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {host}:{port}: {error.strerror}. Is Bower running already? "
                "Stop it, or choose another --port."
            ) from error
        with listener, self.locked():
            port = listener.getsockname()[1]
            address = page_address(host, port)
            others = [page_address(ip, port) for ip in others_use(host)]
            allow_host(host)
            use_address(others[0] if others else address)
            self.stdout.write(f"Bower keeps all data in {settings.DATA_DIR}")
            try:
                self.stdout.write("Preparing the database and the pages ...")
                self.prepare(demo_too=options["demo"])
            except (OSError, DatabaseError, StartError) as error:
                status = error.status if isinstance(error, StartError) else 1
                raise CommandError(one_line(error), returncode=status) from error
            browse = not options["no_browser"]
            ended = serve(listener, lambda: self.say_ready(address, others, browse=browse))
        self.stdout.write("Stopped. All data is kept; run the same command to continue.")
        if not ended:
            self.stdout.flush()
            os._exit(0)  # Python would wait for the thread of an unfinished task

    def prepare(self, *, demo_too: bool) -> None:
        """Migrate the database and collect static files.

        Raises StartError if the database does not fit; OSError or DatabaseError if it cannot be
        written, for example because the disk is full.
        """
        ours = connection.vendor == "sqlite"
        if (
            ours or not MigrationRecorder(connection).applied_migrations()
        ) and startup.missing_migrations():
            call_command("migrate", verbosity=0, interactive=False)
        startup.check()
        static_files.collect()
        if demo_too:
            self.make_demo()

    def make_demo(self) -> None:
        self.stdout.write("Creating the demonstration club, about a minute ...")
        self.stdout.flush()
        made = demo.make(timezone.now(), self.say_step)
        if made is None:
            self.stdout.write(f"  “{demo.NAME}” exists already.")
        else:
            self.stdout.write(f"  “{made.club}” is ready. To direct it, log in as {made.email}")
            self.stdout.write(f"  with the password {made.password}")

    def say_step(self, step: int, steps: int, what: str) -> None:
        self.stdout.write(f"  {step:2} of {steps}  {what}")
        self.stdout.flush()

    def say_ready(self, address: str, others: list[str], *, browse: bool) -> None:
        self.stdout.write(f'\n  Open {address} and click "Play now".')
        if others:
            self.stdout.write(f"  Phones and computers in your network open {' or '.join(others)}")
            self.show_code(others[0])
        self.stdout.write("  To play with friends, send them your table's invitation link.")
        self.stdout.write("  Press Ctrl-C to stop.\n\n")
        self.stdout.flush()
        if browse:
            webbrowser.open(address)

    def show_code(self, address: str) -> None:
        """Show an address as a QR code, unless the output is a log or has no block characters."""
        code = network.qr_code(address, coloured=self.stdout.isatty())
        with suppress(UnicodeEncodeError):
            code.encode(getattr(self.stdout, "encoding", None) or "utf-8")
            if settings.LOG_FORMAT != "json":
                self.stdout.write(code)

    @staticmethod
    def port(text: str) -> int:
        if text.isdecimal() and int(text) <= 65535:
            return int(text)
        raise CommandError(f"--port must be a number from 0 to 65535, not {text!r}.")

    @staticmethod
    def locked() -> AbstractContextManager[object]:
        try:
            return FileLock(settings.DATA_DIR / "lock", mode=0o600).acquire(timeout=0)
        except Timeout as error:
            raise CommandError(
                f"Another Bower is using {settings.DATA_DIR}. Stop it, or choose another --data."
            ) from error
        except OSError as error:
            raise CommandError(one_line(error)) from error


class LogLines(io.StringIO):
    """Standard output with JSON logs: each line becomes a log line."""

    def write(self, text: str) -> int:
        for line in filter(None, map(str.strip, text.splitlines())):
            log.info(line)
        return len(text)


def one_line(error: Exception) -> str:
    if isinstance(error, StartError):
        return str(error)
    reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return f"Cannot prepare the database and the pages in {settings.DATA_DIR}: {reason}"


def page_address(host: str, port: int) -> str:
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{name}:{port}/"


def everywhere(host: str) -> bool:
    return host in ("0.0.0.0", "::")  # noqa: S104


def others_use(host: str) -> list[str]:
    """Return this machine's addresses in its networks if it listens on all of them."""
    return network.addresses() if everywhere(host) else []


def allow_host(host: str) -> None:
    """Allow the host served on; on all interfaces, any host name."""
    settings.ALLOWED_HOSTS.append("*" if everywhere(host) else host)


def use_address(address: str) -> None:
    """Use the address for links in mails and QR codes, unless the environment sets SITE_URL."""
    if "SITE_URL" not in os.environ:
        settings.SITE_URL = address.rstrip("/")
