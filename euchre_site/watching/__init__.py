"""What the site says of itself to whoever runs it, and how a process of it ends without harm."""
