"""The checks that every game must pass, and the harness that runs them."""
