"""What everybody sees of an event, live, where players are called, and its exports."""
