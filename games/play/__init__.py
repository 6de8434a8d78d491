"""Live play: actions, sockets of tables, presence, outages and the sweep."""
