"""A new event, its form, and what may be changed of it and when."""
