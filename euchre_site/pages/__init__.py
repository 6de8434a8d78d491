"""The home page, the visitor's settings, and the variables of all templates."""
