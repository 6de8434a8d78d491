"""Explains each format, with examples drawn by the formats themselves."""
