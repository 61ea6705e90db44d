"""From a `Source` to an `Artifact`: recipes, steps, self-tests, the store."""
