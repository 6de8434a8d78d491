"""Benchmarks: each is run by name, ``python -m tests.load.<name>``, and prints its figures."""
