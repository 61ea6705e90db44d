#!/bin/sh
# Restores a backup into an empty production site, in place of its preparation. Runs as root:
#
#   docker compose run --rm prepare sh deploy/restore.sh FILE
#
# FILE is in the folder `backups` of DATA. It may have been copied there by any account.
set -e
file=${1:?expected the file of a backup}
. deploy/folders.sh
chown agon-tools: "$file"
setpriv --reuid agon-tools --regid agon --clear-groups --inh-caps=-all agon restore "$file"
