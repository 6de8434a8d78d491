"""One card played: the verb, who is here, the sweep, and the sockets of tables."""
