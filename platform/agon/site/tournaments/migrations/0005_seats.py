from django.db import migrations, models

from games.core.manifest import UnknownGame, load


def fill_seats(apps, schema_editor):
    """Store the number of seats: until now it was always the smallest that the game allows."""
    tournaments = apps.get_model("tournaments", "Tournament").objects
    for game in set(tournaments.values_list("competition__game", flat=True)):
        try:
            least = load(game).min_seats
        except UnknownGame:  # its folder was taken away: then nothing of it can be played anyway
            continue
        tournaments.filter(competition__game=game).update(seats=least)


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0004_salts")]
    operations = [
        migrations.AddField(
            "tournament",
            "seats",
            models.PositiveSmallIntegerField(default=2, verbose_name="seats"),
            preserve_default=False,
        ),
        migrations.RunPython(fill_seats, migrations.RunPython.noop),
    ]
