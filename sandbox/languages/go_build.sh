# Runs inside the sandbox, in the folder of an uploaded Go bot: builds its package main, with the packages in
# folders beside it. An upload without go.mod gets one, for the module that its own files import.
export HOME=/tmp GOCACHE=/tmp/go-cache CGO_ENABLED=0 GOPROXY=off GOTOOLCHAIN=local

# The folders that contain Go files, without the topmost.
folders() {
    find . -name '*.go' -printf '%P\n' | sed -n 's|/[^/]*$||p' | sort -u
}

# What the files import a package in a folder as, without the folder's own path.
module() {
    folders | while IFS= read -r folder; do
        grep -rhoF --include='*.go' "/$folder\"" . >/dev/null || continue
        grep -rhoE --include='*.go' '"[A-Za-z0-9_./~-]+"' . | tr -d '"' |
            awk -v end="/$folder" 'substr($0, length($0) - length(end) + 1) == end {
                print substr($0, 1, length($0) - length(end)); exit }'
    done | head -n 1
}

if [ ! -f go.mod ] && ls ./*.go src/*/*.go >/dev/null 2>&1; then
    # The layout before there were modules: packages are in src.
    GO111MODULE=off GOPATH=$PWD exec go build -p 2 -o bot .
fi
export GO111MODULE=on
if [ -f go.mod ]; then
    # What newer versions of Go write, and older ones take for an error.
    sed -i -e '/^toolchain /d' -e 's/^\(go [0-9]*\.[0-9]*\)\..*/\1/' go.mod
else
    name=$(module)
    printf 'module %s\n' "${name:-bot}" >go.mod
fi
main=.
if ! ls ./*.go >/dev/null 2>&1; then
    main=$(go list -e -f '{{if eq .Name "main"}}{{.Dir}}{{end}}' ./...)
    if [ "$(printf '%s\n' "$main" | grep -c .)" != 1 ]; then
        echo "expected one folder with package main, got:" $main >&2
        exit 1
    fi
fi
exec go build -p 2 -buildvcs=false -o bot "$main"
