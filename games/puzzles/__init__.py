"""Puzzles: a set for everybody, one of them each day, a rush, and those of one's own games."""
