# Leaves processes that change the result while it is taken: now a file, now a link. Expect: held
for n in 1 2 3 4; do
    setsid sh -c 'trap "" HUP TERM; while :; do echo forged > result; ln -sf /etc/passwd swapped; mv swapped result; done' >/dev/null 2>&1 &
done
sleep 0.3
