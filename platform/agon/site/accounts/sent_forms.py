"""Forms that were sent, so that one which is sent again gets the first one's result and changes nothing.

A row is written before the form is acted on. A request that finds a row without an answer waits for it. A
form that was refused, or that failed, leaves no row: it may be sent again. So may one whose process has died,
after LOST.
"""

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from agon.site.accounts.models import SentForm

KEPT_FOR = timedelta(minutes=10)  # for which an answer is given again
LOST = timedelta(minutes=1)  # after which a form that is still without an answer is acted on anew


def claim(key: str) -> SentForm | None:
    """The row of a form that the caller has to act on; None if another request does, or has."""
    sent_form = SentForm.objects.filter(key=key).first()
    if sent_form is not None:
        if timezone.now() - sent_form.sent < (LOST if sent_form.answer is None else KEPT_FOR):
            return None
        sent_form.delete()
    try:
        with transaction.atomic():
            return SentForm.objects.create(key=key)
    except IntegrityError:
        return None


def answer_of(key: str) -> dict[str, Any] | None:
    """What `answered` stored; None if there is no answer yet, or no such form any more."""
    answer: dict[str, Any] | None = SentForm.objects.filter(key=key).values_list("answer", flat=True).first()
    return answer


def answered(form: SentForm, answer: dict[str, Any]) -> None:
    """Store what this form, and each that is the same, is answered with."""
    SentForm.objects.filter(pk=form.pk).update(answer=answer)


def give_up(form: SentForm) -> None:
    """Nothing was done: if the form is sent again, it is acted on."""
    SentForm.objects.filter(pk=form.pk).delete()


def forget_old() -> None:
    """Delete the answers that are no longer given."""
    SentForm.objects.filter(sent__lt=timezone.now() - KEPT_FOR).delete()
