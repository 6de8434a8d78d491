"""What a director does: the desk, the clock, corrections, house events, the demonstration."""
