# Starts processes, each of which starts more. Expect: took too long, exited, held, killed
bomb() { [ "$1" -gt 0 ] && { bomb $(($1 - 1)) & bomb $(($1 - 1)) & }; sleep 3; }
bomb 7 2>/dev/null
wait
