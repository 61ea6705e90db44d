"""The skeleton's tests are those of a game: they run in the copies that `agon new-game` writes."""

collect_ignore = ["skeleton"]
