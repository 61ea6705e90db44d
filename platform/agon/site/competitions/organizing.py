"""What organizers do to competitions: drafts, opening, changing, closing, and who else organizes.

Every act on a competition that is open to others has an entry in the audit log, in the same transaction. Two
people who save the same form at once: the second is refused, and sees what the first one changed.
"""

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.contest.text import escape_controls
from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.acts import LONGEST_REASON
from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.competitions import past, visibility
from agon.site.competitions.access import is_organizer
from agon.site.competitions.models import Competition, CompetitionDraft, Organizer, Participant
from agon.site.competitions.past import Table
from agon.site.competitions.settings import BadSettings, CompetitionSettings, Entry, from_json, validated
from agon.site.core.db.name_keys import name_key

MOST_DRAFTS = 20  # of a user
MOST_ORGANIZERS = 20  # of a competition
MOST_OPEN = 5  # of a user who is no organizer of the site
# Once it is open: addresses lead there, bots were written for the game, and the final is a tournament by now.
FINAL = ("final_format", "final_rounds", "final_starts")
FIXED = ("slug", "game", *FINAL)
VERBS = {
    Competition.State.OPEN: Verb.OPEN_COMPETITION,
    Competition.State.CLOSED: Verb.CLOSE_COMPETITION,
    Competition.State.ARCHIVED: Verb.ARCHIVE_COMPETITION,
}


class NotPossible(Exception):
    """An act that cannot be carried out now. str(e): why, for the organizer."""


class ChangedMeanwhile(NotPossible):
    """Another organizer saved these settings since the form was opened. fields: those that differ."""

    def __init__(self, fields: Iterable[str]) -> None:
        self.fields = tuple(dict.fromkeys(fields))
        super().__init__(
            _("These settings were changed meanwhile (%(fields)s). Check them and save again.")
            % {"fields": ", ".join(self.fields)}
        )


@transaction.atomic
def create_draft(
    owner: User, settings: CompetitionSettings, imported: Sequence[Table] = ()
) -> CompetitionDraft:
    """A new draft. Raises BadSettings, and NotPossible for one draft too many.

    imported: people and results of another site.
    """
    settings = validated(settings)
    owner = User.objects.select_for_update(no_key=True).get(pk=owner.pk)
    if owner.closed is not None:
        raise NotPossible(_("This account is closed."))
    if owner.competition_drafts.count() >= MOST_DRAFTS:
        raise NotPossible(_("You have %(most)d drafts. Open or delete one of them.") % {"most": MOST_DRAFTS})
    draft = CompetitionDraft.objects.create(owner=owner, settings=settings.to_json())
    past.store(imported, draft)
    return draft


@transaction.atomic
def save_draft(draft: CompetitionDraft, settings: CompetitionSettings, revision: int) -> CompetitionDraft:
    """Store new settings of a draft. revision: of the draft as the form showed it.

    Raises BadSettings; ChangedMeanwhile if another form was saved since; NotPossible if it is gone.
    """
    settings = validated(settings)
    current = _lock_draft(draft)
    stored = from_json(current.settings)
    if current.revision != revision and stored != settings:
        raise ChangedMeanwhile(settings.changes_to(stored))
    current.settings = settings.to_json()
    current.revision += 1
    current.save()
    return current


@transaction.atomic
def open_draft(draft: CompetitionDraft, by: User) -> Competition:
    """Make the competition of a draft, which is open at once. The draft is gone: a second click finds none.

    Raises BadSettings, also for an address or a title that another competition got since; NotPossible.
    """
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    current = _lock_draft(draft)
    settings = validated(from_json(current.settings))
    _check_number_of_open(by)
    check_free(settings)
    try:
        with transaction.atomic():
            competition = Competition.objects.create(**columns(settings))
    except IntegrityError:
        raise BadSettings({"slug": _("A competition has this address.")}) from None
    _make_link(competition)
    Organizer.objects.create(competition=competition, user=by)
    acts.record(
        Verb.OPEN_COMPETITION,
        by,
        competition,
        subject=settings.title,
        details={"settings": settings.to_json()},
    )
    past.take_over(current, competition)
    current.delete()
    return competition


@transaction.atomic
def change(
    competition: Competition, settings: CompetitionSettings, seen: int, by: User, why: str
) -> dict[str, tuple[Any, Any]]:
    """Change the settings of an open or closed competition; returns old and new value by field.

    seen: `last_change` when the form was shown. Raises BadSettings, ChangedMeanwhile and, without a reason,
    which entrants read, NotPossible.
    """
    settings = validated(settings)
    current = _lock(competition)
    old = current.settings
    since = [name for act in _changes(current).filter(pk__gt=seen) for name in act.details]
    if since and old != settings:
        raise ChangedMeanwhile(since)
    changes = old.changes_to(settings)
    problems = {name: _("It is fixed once a competition is open.") for name in FIXED if name in changes}
    for name in FINAL:
        if name in problems:
            problems[name] = _("The final is a tournament by now. Change it on its own page.")
    for subject in visibility.Subject:
        before, after = getattr(old, subject.value), getattr(settings, subject.value)
        if visibility.gives_away(subject, before, after):
            problems[subject.value] = _("Authors have entered bots under the old rule: it cannot show more.")
    if problems:
        raise BadSettings(problems)
    if not changes:
        return {}
    if not why.strip():
        raise NotPossible(_("Say why: entrants see each change with its reason."))
    check_free(settings, current)
    for name, value in columns(settings).items():
        setattr(current, name, value)
    current.save()
    _make_link(current)
    details = {name: {"old": before, "new": after} for name, (before, after) in changes.items()}
    acts.record(
        Verb.CHANGE_COMPETITION, by, current, subject=current.title, reason=_reason(why), details=details
    )
    return changes


def last_change(competition: Competition) -> int:
    """The number of the last change of the settings; 0 if there was none."""
    return _changes(competition).values_list("pk", flat=True).last() or 0


def _changes(competition: Competition) -> QuerySet[Act]:
    return Act.objects.filter(competition=competition, verb=Verb.CHANGE_COMPETITION)


@transaction.atomic
def set_state(competition: Competition, state: Competition.State, by: User, why: str) -> bool:
    """Open, close or archive a competition; False if it is in that state already. Raises NotPossible."""
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    current = _lock(competition)
    if current.state == state:
        return False
    if state == Competition.State.OPEN:
        _check_number_of_open(by)
    current.state = state
    current.save(update_fields=["state"])
    acts.record(VERBS[state], by, current, subject=current.title, reason=_reason(why))
    return True


@transaction.atomic
def add_organizer(competition: Competition, name: str, by: User) -> User:
    """Give the account of this name the rights of an organizer. Raises NotPossible."""
    _lock(competition)
    user = _account(name)
    let_run(competition, user, by)
    return user


@transaction.atomic
def let_run(competition: Competition, user: User, by: User) -> None:
    """Give an account the rights of an organizer of this competition alone; nothing if it has them.

    Raises NotPossible.
    """
    current = _lock(competition)
    if current.organizers.filter(user=user).exists():
        return
    if current.organizers.count() >= MOST_ORGANIZERS:
        raise NotPossible(_("At most %(most)d organizers.") % {"most": MOST_ORGANIZERS})
    Organizer.objects.create(competition=current, user=user)
    acts.record(Verb.ADD_ORGANIZER, by, current, subject=str(user.pk), details={"account": user.pk})


@transaction.atomic
def remove_organizer(competition: Competition, user: int, by: User) -> bool:
    """Take the rights back; False if the account has none. Raises NotPossible for the last organizer."""
    current = _lock(competition)
    organizer = current.organizers.filter(user=user).first()
    if organizer is None:
        return False
    if current.organizers.count() == 1:
        raise NotPossible(_("A competition needs an organizer. Add another one first."))
    organizer.delete()
    acts.record(Verb.REMOVE_ORGANIZER, by, current, subject=str(user), details={"account": user})
    return True


@transaction.atomic
def hand_over(competition: Competition, name: str, by: User) -> User:
    """Give the place of `by` among the organizers to another account, in one act: `by` runs it no longer.

    The other one takes that place in the list, whether or not they were an organizer before. Raises
    NotPossible.
    """
    current = _lock(competition)
    own = current.organizers.filter(user=by.pk).first()
    if own is None:
        raise NotPossible(_("Only an organizer of this competition can hand it over."))
    user = _account(name)
    if user == by:
        raise NotPossible(_("Name another account than your own."))
    current.organizers.filter(user=user).delete()
    own.user = user
    own.since = timezone.now()
    own.save(update_fields=["user", "since"])
    details = {"from": by.pk, "account": user.pk}
    acts.record(Verb.HAND_OVER, by, current, subject=str(user.pk), details=details)
    return user


@transaction.atomic
def renew_link(competition: Competition, by: User) -> None:
    """Replace the link for entrants: the old one admits no one any more."""
    current = _lock(competition)
    current.entry_secret = _secret()
    current.save(update_fields=["entry_secret"])
    acts.record(Verb.NEW_ENTRY_LINK, by, current, subject=current.title)


@transaction.atomic
def admit(competition: Competition, user: User, secret: str) -> bool:
    """Admit a user who has the link; False if the link is not, or no longer, the right one."""
    current = _lock(competition)
    right = current.entry == Entry.LINK and secrets.compare_digest(
        secret.encode(), current.entry_secret.encode()
    )
    if right:
        Participant.objects.get_or_create(competition=current, user=user)
    return right


def is_link_of(slug: str, secret: str) -> bool:
    """Whether this is the link that admits people to an open competition."""
    competition = Competition.objects.filter(
        slug=slug, entry=Entry.LINK, state=Competition.State.OPEN
    ).first()
    return competition is not None and secrets.compare_digest(
        secret.encode(), competition.entry_secret.encode()
    )


def _account(name: str) -> User:
    """The account of this name. Raises NotPossible."""
    wanted = escape_controls(name.strip())
    user = User.objects.filter(name_key=name_key(wanted), closed=None, is_active=True).first()
    if user is None:
        raise NotPossible(_("There is no account “%(name)s”.") % {"name": wanted[:60]})
    return user


def _reason(why: str) -> str:
    """A reason as the log takes it. Raises NotPossible for one too long."""
    if len(why) > LONGEST_REASON:
        words = _("A reason must have at most %(most)d characters.")
        raise NotPossible(words % {"most": LONGEST_REASON})
    return escape_controls(why.strip())


def forget(user: User) -> None:
    """Remove what a closed account leaves: its drafts, and its part in competitions.

    A competition that is left without an organizer is run by those of the site.
    """
    user.competition_drafts.all().delete()
    user.organizes.all().delete()
    user.admitted_to.all().delete()


def check_free(settings: CompetitionSettings, but: Competition | None = None) -> None:
    """Raise BadSettings if another competition has the address or the title, by which readers know it."""
    others = Competition.objects.exclude(pk=but.pk if but else 0)
    # One statement: what is opened between two of them would be refused for its title, but not its address.
    taken = list(others.values_list("slug", "title"))
    problems = {}
    if any(slug == settings.slug for slug, _title in taken):
        problems["slug"] = _("A competition has this address.")
    wanted = name_key(settings.title)
    if any(name_key(title) == wanted for _slug, title in taken):
        problems["title"] = _("There is a competition of this title.")
    if problems:
        raise BadSettings(problems)


def _check_number_of_open(user: User) -> None:
    """Each competition has house bots that are built and play, so not everyone may open any number."""
    run = Competition.objects.filter(organizers__user=user, state=Competition.State.OPEN)
    if not is_organizer(user) and run.count() >= MOST_OPEN:
        raise NotPossible(
            _("You run %(most)d open competitions. Close or archive one of them first.") % {"most": MOST_OPEN}
        )


def columns(settings: CompetitionSettings) -> dict[str, Any]:
    """The settings as the columns of a Competition."""
    values = vars(settings)
    lists = {name: settings.to_json()[name] for name in ("email_domains", "languages", "prizes")}
    return values | lists


def _make_link(competition: Competition) -> None:
    if competition.entry == Entry.LINK and not competition.entry_secret:
        competition.entry_secret = _secret()
        competition.save(update_fields=["entry_secret"])


def _secret() -> str:
    return secrets.token_urlsafe(18)


def _lock(competition: Competition) -> Competition:
    return Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)


def _lock_draft(draft: CompetitionDraft) -> CompetitionDraft:
    competition_draft = CompetitionDraft.objects.select_for_update(no_key=True).filter(pk=draft.pk).first()
    if competition_draft is None:
        raise NotPossible(_("This draft is gone: it was opened or deleted."))
    return competition_draft
