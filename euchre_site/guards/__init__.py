"""What every request passes: bounds of size, turns, origins; and what is said while away."""
