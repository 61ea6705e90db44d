"""Which alarms of deploy/monitoring sound for the figures that a site gives now, if they stay as they are.

Only rules that compare one figure with a number are looked at: those about services.
"""

import operator
import re
from typing import NamedTuple

import httpx
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.support.processes import ROOT

RULES = ROOT / "deploy" / "monitoring" / "alerts.yml"
PAGE = ROOT / "docs" / "guides" / "operate.md"
COMPARISON = re.compile(r"(agon_[a-z_]+) (==|>|<) ([0-9.e]+)")
COMPARED = {"==": operator.eq, ">": operator.gt, "<": operator.lt}
ROW = re.compile(r"\| `([a-z]+)` \| `(Agon\w+)` \| (.*) ?\|")
CANARY_SECONDS = 300  # what the rule about the canary is made for


class Alarm(NamedTuple):
    """name: of the rule. about: the value of the figure's only label, or ""."""

    name: str
    about: str


def documented() -> dict[str, set[Alarm]]:
    """By the service that is stopped: the table of the operator's guide."""
    alarms = {}
    for service, alarm, about in ROW.findall(PAGE.read_text(encoding="utf-8")):
        alarms[service] = {Alarm(alarm, label) for label in re.findall("`(.*?)`", about) or [""]}
    return alarms


def sounding(url: str, token: str, canary_seconds: int) -> set[Alarm]:
    """canary_seconds: between two canaries of this site, to which the rule's threshold is scaled."""
    try:
        answer = httpx.get(f"{url}/metrics", headers={"Authorization": f"Bearer {token}"}, timeout=10)
    except httpx.TransportError:
        return {Alarm("AgonDoesNotAnswer", "")}
    if answer.status_code != 200:
        return {Alarm("AgonDoesNotAnswer", "")}  # `up` is 0
    samples = [sample for family in text_string_to_metric_families(answer.text) for sample in family.samples]
    [group] = yaml.safe_load(RULES.read_text())["groups"]
    alarms = set()
    for rule in group["rules"]:
        compared = COMPARISON.fullmatch(rule["expr"].strip())
        if compared is None or rule["labels"]["severity"] != "critical":
            continue
        assert re.fullmatch("[1-9]m", rule.get("for", "1m")), "it sounds within ten minutes"
        name, how, than = compared.groups()
        scale = canary_seconds / CANARY_SECONDS if "canary" in name else 1.0
        alarms |= {
            Alarm(rule["alert"], next(iter(sample.labels.values()), ""))
            for sample in samples
            if sample.name == name and COMPARED[how](sample.value, float(than) * scale)
        }
    return alarms
