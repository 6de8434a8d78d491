"""The seasons of a club and their tables."""
