"""Health checks of the installation, shared by three readers.

`manage.py doctor` runs all of them, possibly before the site is started. The staff overview runs
the same, but starts no process and syncs no file. `/readyz` asks the same questions once a second
but answers in one word each, since anybody may read it.
"""
