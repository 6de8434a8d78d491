"""A line to a server that can be made slow: everything over it comes so much later."""

from __future__ import annotations

import asyncio
import threading

from tests.served import HOST, free_port


class SlowLine:
    """Passes bytes on to a port of this machine, on a thread of its own.

    target: the port. Attribute `delay`: by how many seconds each piece comes later, each way.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = free_port()
        self.delay = 0.0
        self.loop = asyncio.new_event_loop()
        self.tasks: set[asyncio.Task[None]] = set()
        ready = threading.Event()
        threading.Thread(target=self._run, args=[ready], daemon=True).start()
        ready.wait()

    def _run(self, ready: threading.Event) -> None:
        serving = asyncio.start_server(self._serve, HOST, self.port, backlog=200)
        self.loop.run_until_complete(serving)
        ready.set()
        self.loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, to_there = await asyncio.open_connection(HOST, self.target)
        except OSError:
            writer.transport.abort()
            return
        for source, sink in ((reader, to_there), (there, writer)):
            task = asyncio.create_task(self._pass_on(source, sink, (writer, to_there)))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def _pass_on(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        both: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
    ) -> None:
        try:
            while piece := await source.read(65536):
                if self.delay:
                    await asyncio.sleep(self.delay)
                sink.write(piece)
                await sink.drain()
        except OSError:
            pass
        finally:
            for writer in both:
                writer.close()
