"""deploy/monitoring: rules and dashboard use the figures that a site has, and the rules sound the alarm."""

import json
import re
import shutil
import subprocess

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.web.fleet import metrics
from tests.support.factories import activate, played
from tests.support.processes import ROOT

FOLDER = ROOT / "deploy" / "monitoring"
RECORDED = ROOT / "tests" / "data" / "monitoring"
PROMETHEUS = {"up"}  # of Prometheus itself
SELECTOR = re.compile(r"\b([a-z_]+)\{([^}]*)\}|\b(agon_\w+|up)\b")
MATCHER = re.compile(r'(\w+)=~?"([^"]*)"')


def expressions() -> list[str]:
    rules = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
    return [
        *(rule["expr"] for group in rules for rule in group["rules"]),
        *(target["expr"] for panel in panels for target in panel["targets"]),
    ]


@pytest.mark.django_db(transaction=True)
def test_rules_and_dashboard_name_figures_and_labels_that_a_site_has(user, competition):
    seats = activate(user, competition, ["a", "b", "c", "d"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    claimed = leases.claim("test:core0:7")
    assert leases.finish(claimed, played(claimed))
    figures = {}
    for family in text_string_to_metric_families(metrics.text().decode()):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        figures[name] = [sample.labels for sample in family.samples]
    named = set()
    for expression in expressions():
        for with_labels, matchers, alone in SELECTOR.findall(expression):
            name = with_labels or alone
            named.add(name)
            for label, value in MATCHER.findall(matchers):
                known = {labels.get(label) for labels in figures.get(name, [])}
                if name.startswith(("agon_queue", "agon_workers")):
                    assert set(value.split("|")) <= known, expression
                elif known:
                    assert None not in known, expression
    assert named - PROMETHEUS <= set(figures)
    assert set(figures) <= named, "a figure that no panel shows"


@pytest.mark.exhaustive
@pytest.mark.skipif(not shutil.which("promtool"), reason="Debian's package prometheus has promtool")
@pytest.mark.parametrize("service", ["scheduler", "worker", "builder", "signer"])
def test_a_service_that_is_stopped_sounds_the_alarm_within_ten_minutes(service):
    """The series were recorded from a site in which that service was stopped at 0 min."""
    subprocess.run(["promtool", "check", "rules", FOLDER / "alerts.yml"], check=True)
    subprocess.run(["promtool", "test", "rules", RECORDED / f"{service}.yml"], check=True)
