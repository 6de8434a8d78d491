"""The pages of an event, live updates, calls to players, and exports."""
