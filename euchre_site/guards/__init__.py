"""What every request passes: size limits, turns, origin checks, and answers during an outage."""
