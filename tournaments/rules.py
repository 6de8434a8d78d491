"""Who may do what in a club and at its events, in one place."""
