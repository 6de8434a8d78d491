"""Entering events, alone or with a partner; waiting lists, check-in and withdrawal."""
