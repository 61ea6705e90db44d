# Runs inside the sandbox, in the folder of an uploaded Rust bot: compiles its main file, "$1", in the edition
# that Cargo.toml names.
edition=
if [ -f Cargo.toml ]; then
    edition=$(sed -n 's/^[[:space:]]*edition[[:space:]]*=[[:space:]]*["'\'']\([0-9]\{4\}\)["'\''].*/\1/p' Cargo.toml | head -n 1)
fi
exec rustc --edition "${edition:-2021}" -O -C codegen-units=1 -o bot "$1"
