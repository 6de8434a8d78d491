"""Webhooks: messages to other programs about final results."""
