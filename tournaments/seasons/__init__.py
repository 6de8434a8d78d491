"""Seasons of clubs and their tables."""
