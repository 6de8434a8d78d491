"""Scores of tables with real cards, entered by phone: codes, score cards and their signatures."""
