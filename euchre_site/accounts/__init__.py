"""Accounts: sign-up, login limits, and their link to players."""
