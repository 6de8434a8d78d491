"""Frozen opponents that the house players are measured against."""
