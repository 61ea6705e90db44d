"""The API: what pages show and do, for programs. `urls.py` lists the operations, `door.py` is what every
request passes."""
