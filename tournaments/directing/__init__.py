"""What directors do: check-in, clock, corrections, house events, and the demonstration club."""
