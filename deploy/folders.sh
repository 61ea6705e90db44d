# Makes the folders of a production site. prepare.sh and restore.sh begin with it, as root. The services have users of
# their own, and share files by the group; backups are for `agon-tools` alone, certificates for `agon-proxy`.
mkdir -p "$AGON_SANDBOX_SOCKETS" "$TMPDIR" "$AGON_VAR/backups" "$AGON_VAR/proxy"
chown agon:agon "$AGON_VAR"
chmod 2770 "$AGON_VAR"
chown agon:agon "$TMPDIR"
chmod 3770 "$TMPDIR"
chown agon-tools: "$AGON_VAR/backups"
chmod 700 "$AGON_VAR/backups"
chown agon-proxy: "$AGON_VAR/proxy" # certificates and their keys
chmod 700 "$AGON_VAR/proxy"

# `docker compose up` prepares the site also while its services run, as when there are to be more workers. What they use
# was made less than a day ago (by its ctime: unpacked files keep their mtime).
remove_old_temporary_files() {
    find "$TMPDIR" -mindepth 1 ! -type d -cmin +1440 -delete
    find "$TMPDIR" -mindepth 1 -type d -empty -cmin +1440 -delete
}
