"""House players: each is given an observation and answers with an action."""
