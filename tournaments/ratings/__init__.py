"""Ratings: rating finished events, recomputing, holds for moderators, and the pages."""
