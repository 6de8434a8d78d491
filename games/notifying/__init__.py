"""Notifications: what each person is told, in which way, and when not."""
