"""House players: functions from an observation to an action."""
