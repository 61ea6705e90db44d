# Samurai in Bash: the starter's picks.
echo READY
read -r turns _ lords
read -r -a strength
for (( turn = 1; turn <= turns; turn++ )); do
    read -r _ time
    for (( lord = 0; lord < lords; lord++ )); do
        read -r _ # what everybody sees
    done
    read -r -a mine
    picks=2
    if [[ $time == D ]]; then
        picks=5
        read -r _ # the night before
    fi
    chosen=()
    for (( pick = 0; pick < picks; pick++ )); do
        best=0
        for (( lord = 1; lord < lords; lord++ )); do
            (( strength[lord] - mine[lord] > strength[best] - mine[best] )) && best=$lord
        done
        (( mine[best]++ ))
        chosen+=("$best")
    done
    echo "${chosen[*]}"
done
