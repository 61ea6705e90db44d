# Leaves more files than anybody wants. Expect: not acceptable, held
mkdir d && cd d
seq 1 6000 | xargs touch 2>/dev/null
exit 0
