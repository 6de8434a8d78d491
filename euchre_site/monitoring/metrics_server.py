"""The metrics endpoint for Prometheus, on an address of its own that visitors cannot reach.

Counters live in the memory of a process, so every process serves its own. The endpoint also
answers `/readyz` and `/readyz/web` with the state of each part. Everything it serves is for the
people who run the site.
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
from euchre_site.monitoring.collector import SiteCollector
from games.sockets import loop
from games.sockets.metrics import registry

log = structlog.get_logger(__name__)

#: The collectors that `prometheus_client` comes with.
COLLECTORS: Final = (ProcessCollector, GCCollector, PlatformCollector)


class _State:
    server: Any = None
    registered = False
    lock = threading.Lock()


def serve() -> int | None:
    """Start the metrics server in a thread; return its port, or None if disabled.

    Only the first call in a process starts one. If no port is free, there is none.
    """
    address: tuple[str, range] | None = settings.METRICS_ADDRESS
    if address is None:
        return None
    with _State.lock:
        return _serve(*address) if _State.server is None else None


def _serve(host: str, ports: range) -> int | None:
    register_collectors()
    reason = ""
    for port in ports:
        try:
            _State.server, _thread = start_http_server(port, host, registry)
        except OSError as error:
            reason = error.strerror or str(error)
            continue
        _State.server.set_app(with_readiness(_State.server.get_app()))
        log.info("metrics served", host=host, port=port)
        return port
    log.warning("metrics not served", host=host, port=ports[0], reason=reason)
    return None


def with_readiness(metrics: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """Return a WSGI app that answers `/readyz` and `/readyz/web` and passes on other requests."""
    checks = {"/readyz": readiness.of_site, "/readyz/web": readiness.of_process}

    def app(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        check = checks.get(environ["PATH_INFO"])
        if check is None:
            return metrics(environ, start_response)
        try:
            ready = loop.run(check(), 2 * readiness.TIMEOUT)
        except TimeoutError:  # the loop that answers pages is blocked
            ready = Readiness(State.NOT_READY, {"process": readiness.UNKNOWN})
        body = json.dumps({"state": ready.state, "parts": dict(ready.parts)})
        status = "200 OK" if ready.status == 200 else "503 Service Unavailable"
        start_response(status, [("Content-Type", "application/json")])
        return [f"{body}\n".encode()]

    return app


def register_collectors() -> None:
    if not _State.registered:
        _State.registered = True
        for kind in COLLECTORS:
            kind(registry=registry)
        registry.register(SiteCollector())


def as_text() -> str:
    register_collectors()
    return generate_latest(registry).decode()


def stop() -> None:
    if _State.server is not None:
        _State.server.shutdown()
        _State.server.server_close()
        _State.server = None
