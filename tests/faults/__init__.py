"""Programs that break a running site on purpose and count what is lost."""
