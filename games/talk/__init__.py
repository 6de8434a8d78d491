"""Talk at tables: set phrases, free words, and who hears them."""
