from django.db import migrations

from agon.site.core.texts.reworded import reword

SENTENCES = {
    "The disk of this site is nearly full: it takes uploads again when there is room": "This site's disk is nearly full; uploads are accepted again when there is space",
    (
        "Your bots take up %(used)s of the %(most)d MiB that an account may have; this needs "
        "%(more)s MiB"
    ): (
        "Your bots use %(used)s of the %(most)d MiB allowed per account; this upload needs "
        "%(more)s MiB"
    ),
    "This competition has no room for more bots: they take up %(used)s of %(most)d MiB": "This competition has no storage left for more bots: they use %(used)s of %(most)d MiB",
    "This site has no room for more bots: they take up %(used)s of %(most)d MiB": "This site has no storage left for more bots: they use %(used)s of %(most)d MiB",
    "In its qualification match it made a fault (%(fault)s): %(reason)s": "It committed a fault in its qualification match (%(fault)s): %(reason)s",
    "The platform could not build it and will try again: %(why)s": "The platform failed to build it and will try again: %(why)s",
    "The platform could not play the qualification match and will try again: %(why)s": "The platform failed to play the qualification match and will try again: %(why)s",
    (
        "The platform failed to build it %(attempts)d times and gave up; the last failure: "
        "%(why)s. Upload it again later, or report this to the operators of the site."
    ): (
        "The platform failed to build it %(attempts)d times and gave up. Last failure: %(why)s. "
        "Upload it again later, or report this to the site operators."
    ),
    (
        "The platform failed to play %(matches)d qualification matches of it and gave up; the "
        "last failure: %(why)s. Upload it again later, or report this to the operators of the "
        "site."
    ): (
        "The platform failed to play %(matches)d of its qualification matches and gave up. Last "
        "failure: %(why)s. Upload it again later, or report this to the site operators."
    ),
    (
        "Void matches: failures of the platform began with %(void)d of its matches, and it played "
        "%(played)d to the end. They began with %(others_void)d of %(others)d matches without it. "
        "By accident that happens once in %(odds)s cases."
    ): (
        "Void matches: platform failures began with %(void)d of its matches, and %(played)d of "
        "its matches finished. Without it, failures began with %(others_void)d of %(others)d "
        "matches. By chance, this happens once in %(odds)s cases."
    ),
    "The bot left play before it was tried.": "The bot was withdrawn, stopped, or deleted before this version was tested.",
    "The build left no file %(file)s, which is to be run": "The build left no file %(file)s, which is the program to run",
}


def forwards(apps, schema_editor):
    for model in ("Bot", "Submission"):
        reword(apps, "bots", model, SENTENCES)


class Migration(migrations.Migration):
    """Store the present wording of reworded sentences, so that they are translated again."""

    dependencies = [("bots", "0010_name_key")]
    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
