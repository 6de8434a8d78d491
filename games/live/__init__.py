"""Live tables in this process: state, the journal of events, turn clocks and absence."""
