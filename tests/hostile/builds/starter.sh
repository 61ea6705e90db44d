# Kills and stops the processes that look after the build. Expect: held, killed, took too long, exited
kill -STOP 1 $PPID 2>/dev/null
kill -KILL 1 $PPID 2>/dev/null
kill -KILL -1 2>/dev/null
