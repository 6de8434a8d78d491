"""Processes of a site as people run them: quickstart, management commands, and nginx before it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.served import HOST, ROOT, free_port
from tests.site import forked

OURS = {"BOWER_DATA", "DATABASE_URL", "DEAL_KEY", "DJANGO_SETTINGS_MODULE"} | {
    "EMAIL_URL", "REDIS_URL", "SECRET_KEY", "SITE_URL", "STATIC_LIVE",
}  # fmt: skip
PATIENCE = 120  # seconds before a hanging process fails a test
NAME = "euchre.example.org"
ONE, SEVERAL = "127.0.0.1:8000", ("127.0.0.1:8001", "127.0.0.1:8002")
AROUND = """
{user}
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ }}
http {{
  access_log off;
  client_body_temp_path {folder}/bodies;
  proxy_temp_path {folder}/proxied;
  fastcgi_temp_path {folder}/1;
  uwsgi_temp_path {folder}/2;
  scgi_temp_path {folder}/3;
  include {folder}/bower.conf;
}}
"""


class Server(NamedTuple):
    """A running server, the address it printed, and its output until then."""

    process: subprocess.Popen[str]
    address: str
    said: str

    def stop(self, by: signal.Signals = signal.SIGINT) -> str:
        """Send the signal; return the output while stopping."""
        self.process.send_signal(by)
        said, _ = self.process.communicate(timeout=PATIENCE)
        return said


def command(data: Path, *options: str) -> list[str]:
    return [
        sys.executable,
        "manage.py",
        "quickstart",
        "--no-browser",
        "--data",
        str(data),
        *options,
    ]


def environment() -> dict[str, str]:
    """Return this process's variables without those that tests set themselves."""
    return {name: value for name, value in os.environ.items() if name not in OURS}


def refused(data: Path, *options: str) -> str:
    """Run a quickstart that cannot start; return its one line of output."""
    done = forked.run(command(data, *options)[2:], environment(), PATIENCE)
    assert done.returncode in {1, 78}
    (line,) = done.stderr.strip().splitlines()
    return line


@contextmanager
def running(data: Path, port: int = 0) -> Iterator[Server]:
    process = subprocess.Popen(
        command(data, "--port", str(port)),
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if told := re.search(r"Open (http://\S+?)/? and", line):
                yield Server(process, told[1], said)
                break
        else:
            raise AssertionError(f"no address was told: {said}")
    finally:
        process.kill()
        process.wait()


def manage(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a management command in its own process."""
    return forked.run([*map(str, arguments)], environment() | variables, PATIENCE)


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line with which a command failed."""
    assert done.returncode in {1, 78}, done.stdout
    (line,) = done.stderr.strip().splitlines()
    return line.removeprefix("CommandError: ")


# nginx --------------------------------------------------------------------------------------


def certificate(folder: Path) -> tuple[Path, Path]:
    """Return a self-signed certificate for the site and this machine, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    address = x509.IPAddress(ip_address(HOST))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME), address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    kinds = serialization
    (folder / "cert.pem").write_bytes(made.public_bytes(kinds.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(kinds.Encoding.PEM, kinds.PrivateFormat.PKCS8, kinds.NoEncryption())
    )
    return folder / "cert.pem", folder / "key.pem"


def upstream(text: str, webs: Sequence[int]) -> str:
    """Return the guide's file for web processes on these ports, edited as its comments say."""
    one, several = f"  server {ONE} ", [f"  # server {name} " for name in SEVERAL]
    assert all(text.count(line) == 1 for line in (one, *several))
    if len(webs) == 1:
        return text.replace(ONE, f"{HOST}:{webs[0]}")
    text = re.sub(f"{one}.*\n", "", text)
    for line, name, port in zip(several, SEVERAL, webs, strict=True):
        text = text.replace(line, line.replace("# ", "").replace(name, f"{HOST}:{port}"))
    return text


def nginx_files(
    folder: Path,
    webs: Sequence[int],
    port: int,
    plain: int,
    change: Callable[[str], str] = lambda text: text,
) -> list[str]:
    """Write the guide's file with the tests' certificate; return nginx's arguments.

    webs: the ports of the web processes, one or two. port, plain: nginx's with TLS and without.
    change: applied to the guide's file.
    """
    cert, key = certificate(folder)
    text = upstream((ROOT / "deploy/nginx.conf").read_text(), webs)
    text = re.sub(r"\n  listen \[::\].*", "", text)
    text = text.replace("listen 80;", f"listen {plain};").replace("listen 443 ", f"listen {port} ")
    text = re.sub(r"ssl_certificate .*;", f"ssl_certificate {cert};", text)
    text = re.sub(r"ssl_certificate_key .*;", f"ssl_certificate_key {key};", text)
    (folder / "bower.conf").write_text(change(text))
    (folder / "nginx.conf").write_text(
        AROUND.format(folder=folder, user="user root;" if os.geteuid() == 0 else "")
    )
    return ["-p", str(folder), "-c", str(folder / "nginx.conf")]


def nginx_program() -> str:
    """Return the path of nginx; skip the test without it."""
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    return found or pytest.skip("needs nginx")


@contextmanager
def nginx_before(
    webs: Sequence[int], folder: Path, change: Callable[[str], str] = lambda text: text
) -> Iterator[int]:
    """Run nginx before web processes for the block; yield its port for TLS.

    change: applied to the guide's file.
    """
    program, port = nginx_program(), free_port()
    folder.chmod(0o755)
    arguments = nginx_files(folder, webs, port, free_port(), change)
    with (folder / "proxy.log").open("wb") as log:
        proxy = subprocess.Popen([program, *arguments], stderr=log)
    try:
        wait_for(port, proxy, folder / "proxy.log")
        yield port
    finally:
        proxy.terminate()
        proxy.wait(PATIENCE)


def as_by_default(text: str) -> str:
    """Remove the guide's settings for unavailable processes: nginx's defaults instead.

    With an hour in place of nginx's 10 seconds, so that no test depends on how long it takes.
    """
    assert "max_fails=0" in text
    return text.replace("max_fails=0", "max_fails=1 fail_timeout=1h")


def wait_for(port: int, proxy: subprocess.Popen[bytes], log: Path) -> None:
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends and proxy.poll() is None:
        try:
            socket.create_connection((HOST, port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"the proxy does not listen: {log.read_text()[-2000:]}")
