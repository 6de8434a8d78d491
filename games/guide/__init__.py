"""The rules of each game, explained to learners."""
