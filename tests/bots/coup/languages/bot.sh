# Coup in Bash: the starter's moves.
file=$1 cards=$4
shift 4

offered() {
    local wanted=$1 move
    shift
    for move; do
        [[ $move == "$wanted" ]] && return
    done
    return 1
}

if offered C "$@"; then move=C
elif offered A "$@" && [[ $cards == *'^'* ]]; then move=A
elif offered T "$@" && [[ $cards == *'$'* ]]; then move=T
elif offered $'I\n' "$@"; then move=$'I\n'
elif offered s "$@" && [[ $cards == *'!'* ]]; then move=s
elif offered p "$@"; then move=p
elif offered $'\n' "$@"; then move=$'\n'
else move=${!#}
fi
printf %s "$move" >> "$file"

if (( ${#cards} > 2 )); then # an exchange: keep the best
    kept=
    for card in '$' '^' '*' '!' '~'; do
        for (( i = 0; i < ${#cards}; i++ )); do
            [[ ${cards:i:1} == "$card" ]] && kept+=$card
        done
    done
    echo "${kept:0:${#cards}-2}"
fi
