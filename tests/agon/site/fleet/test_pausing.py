"""Rows of paused workers: one for each place on a machine, for as long as the worker is there."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.fleet import pausing
from agon.site.fleet.models import PausedWorker

pytestmark = [pytest.mark.production, pytest.mark.django_db]


def test_a_worker_that_is_gone_is_forgotten_after_a_day():
    pausing.pause("alpha:core0:1", "the storage is away")
    pausing.pause("beta:core0:1", "the storage is away")
    pausing.pause("beta:core0:2", "the storage is away")
    assert PausedWorker.objects.count() == 2
    PausedWorker.objects.filter(worker="alpha:core0").update(tried=timezone.now() - timedelta(hours=25))
    pausing.forget()
    assert [paused_worker.worker for paused_worker in PausedWorker.objects.all()] == ["beta:core0"]
