"""A table as it stands in this process: its state, the journal of its events, its clocks."""
