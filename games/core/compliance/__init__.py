"""What every game must fulfil, and the harness that checks it."""
