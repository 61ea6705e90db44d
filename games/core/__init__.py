"""What every game shares: the base class, the driver, records, replay and the compliance suite."""
