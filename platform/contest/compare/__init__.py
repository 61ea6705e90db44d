"""Is one version of a bot better than another? What is played (cycles), when to stop (sequential), how much
better it is (interval). Pure; the command line plays and prints.
"""
