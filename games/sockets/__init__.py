"""Sockets: open connections, messages between threads and processes, heartbeats and metrics."""
