"""What models of every app share: transitions, leases, name keys, fields."""
