"""The work of workers: build, qualify, play, and apply the effects of results. Stands above the apps."""
