"""The analysis board: any position, set up, pasted or taken from a game, and what it is worth.

`positions` and `completing` are pure; a link holds the whole position and no row is stored.
"""
