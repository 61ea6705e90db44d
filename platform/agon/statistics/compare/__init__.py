"""Is one version of a bot better than another? What is played (cycles), when to stop (sequential), and how
much better it is (interval). Pure functions: agon.cli.compare_run and agon.site.comparisons.progress have the
matches played.
"""
