"""Language Survival (CODE FESTIVAL 2014): four players, six languages, hidden holidays."""
