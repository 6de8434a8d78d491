"""Metrics for Prometheus, on an address of their own that no visitor's request reaches.

What a process has counted is in its memory, so that each tells its own. The address is for those
who run the site: whoever reaches it may read all it tells, which is sums, and at `/readyz` and
`/readyz/web` how each part of the site is.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from typing import Any, Final

import structlog
from django.conf import settings
from prometheus_client import (
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
    start_http_server,
)

from euchre_site.health import readiness
from euchre_site.health.readiness import Readiness, State
from euchre_site.monitoring.collector import Measures
from games.sockets import loop
from games.sockets.tallies import registry

log = structlog.get_logger(__name__)


class _Served:
    """The server of this process."""

    server: Any = None
    collects = False
    guard = threading.Lock()


def serve() -> int | None:
    """Tell metrics from now on, in a thread of its own; return the port, or None where nowhere.

    Once in a process, whoever asks first. Without a free port the process works on untold.
    """
    address: tuple[str, range] | None = settings.METRICS_ADDRESS
    if address is None:
        return None
    with _Served.guard:
        return _serve(*address) if _Served.server is None else None


def _serve(host: str, ports: range) -> int | None:
    collect()
    reason = ""
    for port in ports:
        try:
            _Served.server, _thread = start_http_server(port, host, registry)
        except OSError as error:
            reason = error.strerror or str(error)
            continue
        _Served.server.set_app(with_readiness(_Served.server.get_app()))
        log.info("metrics told", host=host, port=port)
        return port
    log.warning("metrics not told", host=host, port=ports[0], reason=reason)
    return None


def with_readiness(metrics: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """Return a WSGI app that answers `/readyz` and `/readyz/web` and leaves the rest to metrics."""
    looks = {"/readyz": readiness.of_site, "/readyz/web": readiness.of_process}

    def app(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        look = looks.get(environ["PATH_INFO"])
        if look is None:
            return metrics(environ, start_response)
        try:
            ready = loop.run(look(), 2 * readiness.PATIENCE)
        except TimeoutError:  # the loop that answers pages stands still
            ready = Readiness(State.NOT_READY, {"process": readiness.UNKNOWN})
        body = json.dumps({"state": ready.state, "parts": dict(ready.parts)})
        status = "200 OK" if ready.status == 200 else "503 Service Unavailable"
        start_response(status, [("Content-Type", "application/json")])
        return [f"{body}\n".encode()]

    return app


def collect() -> None:
    """Let what is measured when it is asked for be told beside what is counted."""
    if not _Served.collects:
        _Served.collects = True
        for kind in COLLECTORS:
            kind(registry=registry)
        registry.register(Measures())


#: The client's own: of the process, of Python's memory, of the platform.
COLLECTORS: Final = (ProcessCollector, GCCollector, PlatformCollector)


def told() -> str:
    """All metrics of this process as they are told, in Prometheus's text format."""
    collect()
    return generate_latest(registry).decode()


def stop() -> None:
    """Tell no more."""
    if _Served.server is not None:
        _Served.server.shutdown()
        _Served.server.server_close()
        _Served.server = None
