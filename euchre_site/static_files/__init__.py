"""Static files: processing, bundles and serving."""
