"""What runs inside a box: the agent, what it starts for a session, and the warm interpreter.

Standard library only, and little of it: every module imported here makes every fork dearer. This
package imports nothing from outside itself; `wire` and `bundle` are used on the host's side too.
"""
