"""Clubs: founding, members and roles, house rules, announcements, their pages."""
