"""Backups of a running site: making, verifying, pruning and restoring them."""
