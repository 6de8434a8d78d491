"""The verifiable shuffle: commitments, packs, encrypted secrets and the public log."""
