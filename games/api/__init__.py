"""The games' part of the JSON API, and the shared base of both apps' parts."""
