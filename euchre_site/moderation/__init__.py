"""Moderation: cases, the evidence that sources bring, one queue and one form for decisions."""
