"""The games' part of the JSON API, and what both apps' parts are built on."""
