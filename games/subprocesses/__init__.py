"""Long computations in processes of their own, so that no page waits for them."""
