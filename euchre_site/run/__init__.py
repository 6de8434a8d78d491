"""The one-command server, and the life of a web process."""
