"""What could have been done better in a finished game, and puzzles made from that.

Judging is pure and sees what the player saw (`decisions`, `values`, `judging`); `reports` is its
result for a whole game. The rest stores, shows and asks.
"""
