"""The file that `agon backup` writes, `agon verify-backup` checks and `agon restore` reads. It needs no site.

A backup is a tar that any `tar` reads, and every byte of it is checked:

    database.sqlite3.gz, or database.dump   the database (the latter is made by pg_dump)
    keys/secret_key, keys/archive_key       if they were asked for
    files/NAME.gz                           a file of the storage, under the name that rows know it by
    manifest.jsonl                          versions; size and SHA-256 of each member; what was left out

members.py    the names that members have, and no others
container.py  the tar: writing it, walking through it, reading a member with a limit
manifest.py   the manifest: writing it, reading it line by line
checking.py   whether a backup is sound, and if not, which member is damaged, missing or too many
"""
