"""What workers do, on top of the apps: build, qualify, play, and what follows from a result."""
