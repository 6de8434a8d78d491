"""Where an event may stand, what its times say, what was done to it, its next week."""
