"""Where staff act on tables, their sockets hear of it on the loop of the test."""

from tests.games.conftest import _nothing_kept, _web_loop

__all__ = ["_nothing_kept", "_web_loop"]
