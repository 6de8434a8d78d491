"""The formats of events: how the next round follows from the entrants and the rounds played.

Nothing here reads the database or the clock. `base` says what a format is, `registry` lists them,
and `CONTRIBUTING.md` explains how to add one.
"""
