"""Reading and validating settings from the environment.

Each method reads a variable of one type. A wrong one gets its default, so that the others are
checked too; `Variables.refuse` then reports all of them, one line each, without the values of those
that may contain a password. django-environ would stop at the first, without saying what is allowed.
"""

import base64
import io
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import environ
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives.asymmetric import ec
from django.core.exceptions import ImproperlyConfigured
from pyrage import RecipientError, x25519

T = TypeVar("T")

#: The default upper limit of numbers; more is a typing error.
MAX_NUMBER: Final = 1_000_000
YES: Final = frozenset({"1", "true", "yes", "on", "y", "t", "ok"})
NO: Final = frozenset({"0", "false", "no", "off", "n", "f"})
#: A valid line of `secrets.env`: an assignment, a comment or empty.
LINE: Final = re.compile(r"(export )?[A-Za-z_0-9]+=.*|\s*(#.*)?")
#: The system's time zones; if the folder exists, Django accepts only these.
ZONES: Final = Path("/usr/share/zoneinfo")


class Variables:
    """The environment, and the variables in `secrets.env`.

    wrong: a line for each wrong variable. unread: the file could not be read, so its variables are
    not reported as missing.
    """

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.unread = False

    def read(self, file: Path) -> None:
        try:
            text = file.read_text("utf-8-sig")
        except FileNotFoundError:
            return
        except UnicodeDecodeError as error:
            self.unread = True
            self.wrong.append(
                f"{file} is not UTF-8 text (byte {error.start}): save it as UTF-8, with one "
                "NAME=value per line."
            )
        except OSError as error:
            self.unread = True
            self.wrong.append(f"{file} cannot be read: {error.strerror}.")
        else:
            lines = text.splitlines()
            self.wrong += [
                f"{file} line {number} is not NAME=value, without spaces before the =."
                for number, line in enumerate(lines, 1)
                if not LINE.fullmatch(line)
            ]
            environ.Env.read_env(io.StringIO("\n".join(filter(LINE.fullmatch, lines))))

    def refuse(self) -> None:
        """Raise ImproperlyConfigured if a variable is wrong, with a line for each."""
        if self.wrong:
            raise ImproperlyConfigured("\n".join(self.wrong))

    def text(self, name: str, default: str = "") -> str:
        return os.environ.get(name, default)

    def words(
        self, name: str, default: Sequence[str] = (), *, pattern: str = ".*", allowed: str = ""
    ) -> list[str]:
        """Return a comma-separated list whose items match a pattern; allowed: it in words."""
        if name not in os.environ:
            return [*default]
        words = [part.strip() for part in os.environ[name].split(",") if part.strip()]
        for word in words:
            if not re.fullmatch(pattern, word):
                self.wrong.append(f"{name} has {word!r}: it must be {allowed}.")
        return words

    def secret(self, name: str, file: Path) -> str:
        """Return a required secret key; file: where it may also be set."""
        value = self.text(name)
        if not value and not self.unread:
            self.wrong.append(
                f"{name} is not set and {file} does not contain it: "
                "set it in the environment, or run `manage.py quickstart` once."
            )
        return value

    def fernet_key(self, name: str, file: Path) -> str:
        """Return a required encryption key; file: where it may also be set."""
        value = self.secret(name, file)
        try:
            Fernet(value)
        except ValueError:
            if value:
                self.wrong.append(
                    f"{name} is not a key of 32 bytes in URL-safe base64: it has {len(value)} "
                    "characters, and such a key has 44. Restore the one that quickstart made."
                )
        return value

    def age_key(self, name: str) -> str:
        """Return a public key of age, or an empty string."""
        value = self.text(name)
        try:
            if value:
                x25519.Recipient.from_str(value)
        except RecipientError:  # it may be the secret key
            self.wrong.append(
                f"{name} is not a public key of age, which starts with age1 and has 62 characters: "
                f"it has {len(value)}. `manage.py backup --new-key` makes one."
            )
            return ""
        return value

    def push_key(self, name: str) -> str:
        """Return the private key that signs push messages (P-256, RFC 8292), or an empty string."""
        value = self.text(name)
        try:
            number = int.from_bytes(base64.urlsafe_b64decode(f"{value}=" if value else ""), "big")
            if value:
                ec.derive_private_key(number, ec.SECP256R1())
        except ValueError:
            self.wrong.append(
                f"{name} is not a private key of P-256 in URL-safe base64: it has {len(value)} "
                "characters, and such a key has 43. `manage.py push_key` makes one."
            )
            return ""
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        value = self.text(name).strip().lower()
        if value in YES | NO:
            return value in YES
        return self._default(name, default, "true or false")

    def whole(
        self, name: str, default: int, *, least: int = 0, most: int = MAX_NUMBER, unit: str = ""
    ) -> int:
        value = self.text(name).strip()
        if re.fullmatch(r"-?\d{1,9}", value) and least <= int(value) <= most:
            return int(value)
        of = f" of {unit}" if unit else ""
        return self._default(name, default, f"a whole number{of} from {least} to {most}")

    def number(self, name: str, default: float, *, most: float) -> float:
        """Return a number of seconds from 0 to `most`."""
        try:
            value = float(self.text(name))
        except ValueError:
            value = math.nan
        if 0 <= value <= most:
            return value
        return self._default(name, default, f"a number of seconds from 0 to {most:g}")

    def span(self, name: str, default: tuple[float, float], *, most: float) -> tuple[float, float]:
        """Return two numbers of seconds, the smaller first."""
        parts = self.text(name).split(",")
        try:
            least, longest = map(float, parts)
        except ValueError:
            pass
        else:
            if 0 <= least <= longest <= most:
                return least, longest
        allowed = f"two numbers of seconds from 0 to {most:g}, the smaller first, such as "
        return self._default(name, default, allowed + ",".join(f"{one:g}" for one in default))

    def choice(self, name: str, default: str, others: Sequence[str]) -> str:
        known = {word.lower(): word for word in (default, *others)}
        value = self.text(name).strip().lower()
        if value in known:
            return known[value]
        words = [word for word in known.values() if word]
        allowed = f"{', '.join(words[:-1])} or {words[-1]}" + ("" if default else ", or nothing")
        return self._default(name, default, allowed)

    def zone(self, name: str, default: str) -> str:
        value = self.text(name) or default
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            known = False
        else:
            known = not ZONES.exists() or (ZONES / value).exists()
        if known:
            return value
        return self._default(name, default, "a time zone such as UTC or America/Chicago")

    def matching(self, name: str, pattern: str, default: str, allowed: str) -> str:
        value = self.text(name)
        if value and re.fullmatch(pattern, value):
            return value
        return self._default(name, default, allowed)

    def address(
        self, name: str, schemes: Sequence[str], allowed: str, *, path: bool = False
    ) -> str:
        """Return a server's URL, which may contain a password; path: whether it needs one."""
        value = self.text(name)
        try:
            parts = urlsplit(value)
            fits = parts.scheme in schemes and (not path or parts.path.strip("/") != "")
            _port = parts.port  # raises ValueError if it is not a number
        except ValueError:
            fits = False
        if value and not fits:
            self.wrong.append(f"{name} is not a valid address: it must be {allowed}.")
        return value if fits else ""

    def client(self, name: str, pattern: str, allowed: str) -> dict[str, str]:
        """Return this site's registration with another one, in named parts; empty if not set."""
        value = self.text(name).strip()
        found = re.fullmatch(pattern, value)
        if value and not found:
            self.wrong.append(f"{name} does not fit: it must be {allowed}.")
        return found.groupdict("") if found else {}

    def file(self, name: str, path: str) -> str:
        """Return the text of a file that the variable names; empty if it names none."""
        try:
            return Path(path).read_text() if path else ""
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not a text"
            self.wrong.append(f"{name} names {path}, which cannot be read: {reason}.")
        return ""

    def ports(self, name: str) -> tuple[str, range] | None:
        """Return a host and the ports to try in order; None if not set."""
        found = re.fullmatch(
            r"(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})(?:-(\d{1,5}))?", self.text(name)
        )
        ports = range(int(found[2]), int(found[3] or found[2]) + 1) if found else range(0)
        if found and ports and ports[0] >= 1 and ports[-1] <= 65535:
            return found[1].strip("[]"), ports
        self._default(
            name,
            None,
            "a host and a port, such as 127.0.0.1:9100, or a range of ports such as "
            "127.0.0.1:9100-9109, of which each process uses the first free one",
        )
        return None

    def _default(self, name: str, default: T, allowed: str) -> T:
        if value := self.text(name):
            self.wrong.append(f"{name} is {value!r}: it must be {allowed}.")
        return default
