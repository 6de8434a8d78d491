"""The one-command server: what it starts, keeps running, and looks at before."""
