"""Django's SQLite backend in which the threads of a process take turns to write."""
