"""Outgoing e-mail, and requests to user-supplied URLs."""
