"""Where a bot loses more than its rating explains: the outcomes of its matches (outcomes), the groups of them
that may show a weakness (groups), how sure it is of a part that it is worse (evidence), which parts are named
(findings), all parts (tables), and the matches that are worth watching (watch). Pure: no Django.
"""
