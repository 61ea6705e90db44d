"""The web server of a production site, which the service `web` of docker-compose.yml runs.

    python -m agon.supervisor.public_web HOST PORT PROCESSES

uvicorn's own command has timeouts neither for request headers nor for readers: a visitor who never ends them,
or who takes nothing of an answer, would keep a connection.
"""

import sys

import uvicorn

from agon.supervisor.web import TimeoutProtocol


def main(host: str, port: int, processes: int) -> None:
    uvicorn.run(
        "agon.site.server:application",
        host=host,
        port=port,
        workers=processes,
        http=TimeoutProtocol,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # Django reads them if TRUSTED_PROXY_COUNT is set
        log_config=None,  # Django's
        timeout_graceful_shutdown=5,  # event streams never end by themselves
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
