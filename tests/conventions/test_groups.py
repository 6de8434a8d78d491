"""Tests that would disturb each other run in one worker, one after another."""

import os

import pytest


@pytest.mark.servers
@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="no other worker runs")
def test_tests_that_start_servers_share_a_worker(request: pytest.FixtureRequest) -> None:
    """Else one kills the connections of another; xdist notes the group in the name."""
    assert request.node.nodeid.endswith("@servers")
