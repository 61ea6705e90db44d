"""How strong bots are, and how sure that is, from the places they took in their matches.

counts.py: what a match adds to the counts of its pairs. fit.py: strengths from the counts. published.py: what
is shown of them. docs/explanations/ratings.md says why this model, and what was measured of it.
"""
