"""The JSON API of clubs, events and ratings."""
