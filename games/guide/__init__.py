"""The rules of every game, explained to somebody who wants to learn it."""
