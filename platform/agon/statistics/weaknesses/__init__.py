"""Where a bot loses more than its rating explains: the outcomes of its matches (outcomes), the groups of them
that may show a weakness (groups), the test that names weaknesses (findings), and the matches that are worth
watching (watch). Pure: no Django.
"""
