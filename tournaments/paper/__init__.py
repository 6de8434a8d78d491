"""Sheets of an event to print."""
