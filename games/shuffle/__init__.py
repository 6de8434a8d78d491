"""What a game is dealt from: commitments, packs, secrets kept sealed, and the public log."""
