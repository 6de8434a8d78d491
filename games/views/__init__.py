"""The pages of the app, a file per part of the site; plain functions."""
