"""Keeping: backups of a site at work, what proves that they can go on, and the way back."""
