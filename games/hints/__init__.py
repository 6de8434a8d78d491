"""Hints: what the house would do in the place of somebody who plays with it alone."""
