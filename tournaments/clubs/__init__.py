"""Clubs: founding them, members and roles, house rules, announcements and pages."""
