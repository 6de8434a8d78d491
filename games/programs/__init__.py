"""Programs that play, and personal API tokens."""
