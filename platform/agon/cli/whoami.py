"""`agon whoami`: the account that commands act as, and what its token may do."""

from agon.cli.arguments import JsonOption
from agon.cli.output import print_json, show
from agon.cli.sites import SiteOption, chosen_site


def whoami(site: SiteOption = None, json: JsonOption = False) -> None:
    with chosen_site(site) as client:
        account = client.me()
        if json:
            print_json(account)
            return
        token = account["token"]
        limited = f"; only {token['competition']}" if token["competition"] else ""
        until = f"; until {token['expires']}" if token["expires"] else ""
        show(f"{account['name']} at {client.url}")
        show(f"token {token['name']}: {', '.join(token['scopes'])}{limited}{until}")
