"""Exporting one's own data, and deleting one's account."""
