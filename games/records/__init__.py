"""Games that have ended: how, their files and replays, and what somebody’s games add up to."""
