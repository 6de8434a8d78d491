"""The rules of euchre in pure Python, without clock, randomness or I/O."""
