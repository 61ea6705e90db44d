"""Leaves files wherever it can, links and pipes among them. Expect: held"""
import os

def go():
    for folder in ("/box/work", "/tmp", "/dev/shm", "/box", "/box/game"):
        with open(f"{folder}/left", "w") as file:
            file.write("state")
        os.symlink("/etc/passwd", f"{folder}/link")
        os.mkfifo(f"{folder}/pipe")
        os.mkdir(f"{folder}/.hidden")
        os.chmod(f"{folder}/.hidden", 0)
    with open("bot.py", "a") as file:
        file.write("\nraise SystemExit('changed')\n")
