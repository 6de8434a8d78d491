"""A table as a page: who sees what, and the wording, for page loads, sockets and replays."""
