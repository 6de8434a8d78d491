"""Matches: what is played, how a match ended, whether a result is possible, and corrections."""
