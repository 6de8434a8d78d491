"""The Django project: settings, URLs, the task queue, accounts, and what keeps the site running."""

#: Bower's version; pyproject.toml reads it here, since an installation holds no package of Bower.
__version__ = "0.1.0"
