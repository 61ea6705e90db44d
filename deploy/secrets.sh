#!/bin/sh
# Makes the random secrets of a production site, once, in the folder `secrets` (or in the folder that the argument
# names). Other accounts of the host cannot enter that folder. The files in it are readable for all, because the
# services in the containers run under other accounts.
set -e
folder=${1:-secrets}
mkdir -p -m 700 "$folder"
for name in secret_key postgres_password redis_password; do
    test -s "$folder/$name" && continue
    head -c 48 /dev/urandom | base64 | tr -d '\n' > "$folder/$name.new"
    chmod 444 "$folder/$name.new"
    mv "$folder/$name.new" "$folder/$name"
    echo "made $folder/$name"
done
# The key that signs archives. Without ssh-keygen it stays empty, and archives are unsigned until one is there.
if ! test -s "$folder/archive_key"; then
    if command -v ssh-keygen > /dev/null; then
        rm -f "$folder/archive_key.new" "$folder/archive_key.new.pub"
        ssh-keygen -q -t ed25519 -N "" -C agon -f "$folder/archive_key.new"
        rm "$folder/archive_key.new.pub" # the site publishes it
    else
        : > "$folder/archive_key.new"
    fi
    chmod 444 "$folder/archive_key.new"
    mv "$folder/archive_key.new" "$folder/archive_key"
    echo "made $folder/archive_key"
fi
