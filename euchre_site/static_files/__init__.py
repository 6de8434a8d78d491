"""Processing, bundling and serving of static files."""
