"""Proofs of shuffles, publication of their secrets, and the pages of the public log."""
