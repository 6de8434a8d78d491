"""Lessons for learners: positions to solve, with the reason for every answer."""
