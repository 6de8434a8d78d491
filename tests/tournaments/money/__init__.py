"""Entry money and prizes."""
