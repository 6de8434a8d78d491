"""How each format works, with examples drawn by the formats themselves."""
