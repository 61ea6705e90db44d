"""What runs inside a box: the agent, what it starts for a session, and the warm interpreter.

Standard library only, and little of it: every module that is imported here makes every fork more expensive.
This package imports nothing from outside itself. Some of its modules are used by the host as well: `wire`,
`bundle`, `head_tail`, `uids`, `workspace` (for a constant), `launch` and its helpers.
"""
