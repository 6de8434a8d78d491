"""Other programs that are told when results are final."""
