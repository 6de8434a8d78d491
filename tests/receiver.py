"""A program that receives what webhooks are sent, on this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Received(NamedTuple):
    """One request: where to, with which headers in small letters, and its body."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Answers every POST with `status`, and keeps what it was sent.

    Attributes:
        url: where it is.
        status: what it answers; 0: nothing at all until it is stopped.
        headers: what it answers besides.
        received: the requests so far.
    """

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/hook"
        self.status = 204
        self.headers: dict[str, str] = {}
        self.received: list[Received] = []
        self.stopped = threading.Event()


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Receive while in the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(self.path, headers, body))
            if not receiver.status:
                receiver.stopped.wait(60)
                return
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    class ReceivingServer(ThreadingHTTPServer):
        request_queue_size = 128  # of more than five at once, some would be made to wait a second

    server = ReceivingServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()
