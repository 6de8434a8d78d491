"""Tells open pages that an event has changed, or that players are called."""

from collections.abc import Collection


def announce(event_id: int) -> None:
    """Say from any thread, after the commit, that an event has changed."""


def call(player_ids: Collection[int]) -> None:
    """Say from any thread, after the commit, that the calls of players have changed."""
