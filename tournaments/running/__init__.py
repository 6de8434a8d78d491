"""An event from its first call to its end: the tick, rounds, the tables of a round."""
