"""Programs that play and the tokens by which they reach the site."""
