"""What workers do: build, qualify, play, and apply what follows from a result. Stands above the apps."""
