"""How anybody checks a shuffle: proofs, what is published, and the pages of the log."""
