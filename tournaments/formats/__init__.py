"""The formats of an event: pure functions from entrants and what was played to the next round."""
