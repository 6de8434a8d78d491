"""The tables of perfect and near-perfect rotations; README.md says what each is."""
