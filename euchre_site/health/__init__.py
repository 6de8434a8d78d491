"""Checks of the installation: for `manage.py doctor`, the staff overview and `/readyz`."""
