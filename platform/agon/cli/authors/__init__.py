"""What the authors of games get from `agon check-game` besides its checks: fates, mutants, a report."""
