"""Ratings by openskill, which depend on the order of the results, give way to counts of who was ahead of whom.

The counts are made from the stored results; the first tick of the sweeper fits them. Submissions of one author with
the same program share a rating from now on.
"""

from itertools import groupby
from operator import attrgetter

import django.db.models.deletion
from django.db import migrations, models

from agon.statistics.ratings.counts import added, of_match

BATCH = 1000


def count_results(apps, schema_editor):
    share_ratings(apps)
    for competition in apps.get_model("competitions", "Competition").objects.all():
        count(apps, competition)
    apps.get_model("leaderboards", "Leaderboard").objects.update(changes=1)
    if schema_editor.connection.vendor == "postgresql":  # or the columns cannot be dropped in this transaction
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def share_ratings(apps):
    Rating = apps.get_model("leaderboards", "Rating")
    Rated = apps.get_model("leaderboards", "Rated")
    known = {}  # the rating by competition, owner and digest
    last = {}  # the rating of a bot's version before
    for rating in Rating.objects.select_related("submission__bot").order_by("submission"):
        submission, bot = rating.submission, rating.submission.bot
        whose = (bot.competition_id, bot.owner_id)
        keys = [(*whose, digest) for digest in (submission.digest, submission.artifact_digest) if digest]
        shared = next((known[key] for key in keys if key in known), None)
        if shared is None:
            rating.competition_id = bot.competition_id
            rating.predecessor = last.get(bot.pk)
            rating.played = rating.won = rating.faults = 0
            rating.save()
        for key in keys:
            known.setdefault(key, shared or rating)
        last[bot.pk] = shared or rating
        Rated.objects.create(submission=submission, rating=shared or rating)
    Rating.objects.filter(competition=None).delete()


def count(apps, competition):
    Fault = apps.get_model("matches", "Fault")
    PairCount = apps.get_model("leaderboards", "PairCount")
    Rated = apps.get_model("leaderboards", "Rated")
    Rating = apps.get_model("leaderboards", "Rating")
    Seat = apps.get_model("matches", "Seat")
    SeatCount = apps.get_model("leaderboards", "SeatCount")
    played = {"match__competition": competition, "match__kind": "ladder", "match__state": "finished"}
    rated = dict(Rated.objects.filter(rating__competition=competition).values_list("submission", "rating"))
    ratings = Rating.objects.in_bulk(set(rated.values()))
    bad = dict(
        Fault.objects.filter(**{f"seat__{name}": value for name, value in played.items()})
        .values_list("seat").annotate(models.Count("pk"))
    )
    pairs, seated = [], {}
    seats = Seat.objects.filter(**played, rank__isnull=False).select_related("match").order_by("match", "number")
    for _, sat in groupby(seats.iterator(BATCH), attrgetter("match_id")):
        sat = list(sat)
        if not all(seat.submission_id in rated for seat in sat):
            continue
        pairs += of_match([rated[seat.submission_id] for seat in sat], [seat.rank for seat in sat])
        if len(pairs) > 100 * BATCH:
            pairs = added(pairs)
        for seat in sat:
            rating = ratings[rated[seat.submission_id]]
            rating.played += 1
            rating.won += seat.won
            rating.faults += bad.get(seat.pk, 0)
            rating.seated = seat.match.finished_at
            place = (rating.pk, seat.number)
            seated[place] = seated.get(place, 0) + 1
    Rating.objects.bulk_update(ratings.values(), ["played", "won", "faults", "seated"], batch_size=BATCH)
    SeatCount.objects.bulk_create(
        [SeatCount(rating_id=pk, number=number, times=times) for (pk, number), times in seated.items()], BATCH
    )
    PairCount.objects.bulk_create(
        [
            PairCount(competition=competition, first_id=pair.first, second_id=pair.second, **rest(pair))
            for pair in added(pairs)
        ],
        BATCH,
    )


def rest(pair):
    return {name: getattr(pair, name) for name in pair._fields[2:]}


def forget_ratings(apps, schema_editor):
    """The reverse. It cannot tell which part of a shared rating came from which submission."""
    apps.get_model("leaderboards", "Rating").objects.all().delete()
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ('bots', '0011_reworded_reasons'),
        ('competitions', '0002_no_creator'),
        ('leaderboards', '0001_initial'),
        ('matches', '0009_reworded_reasons'),
    ]

    operations = [
        migrations.AddField(
            model_name='leaderboard',
            name='changes',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='leaderboard',
            name='decide_first',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='leaderboard',
            name='fit_seconds',
            field=models.FloatField(default=0.0),
        ),
        migrations.AddField(
            model_name='leaderboard',
            name='fitted_changes',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='leaderboard',
            name='fitted_played',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='leaderboard',
            name='matches_left',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='leaderboard',
            name='next_fit',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='rating',
            name='best',
            field=models.PositiveIntegerField(default=0, verbose_name='best rank'),
        ),
        migrations.AddField(
            model_name='rating',
            name='competition',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='competitions.competition'),
        ),
        migrations.AddField(
            model_name='rating',
            name='high',
            field=models.FloatField(blank=True, null=True, verbose_name='upper end'),
        ),
        migrations.AddField(
            model_name='rating',
            name='low',
            field=models.FloatField(blank=True, null=True, verbose_name='lower end'),
        ),
        migrations.AddField(
            model_name='rating',
            name='predecessor',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='successors', to='leaderboards.rating'),
        ),
        migrations.AddField(
            model_name='rating',
            name='rating',
            field=models.FloatField(default=1500.0, verbose_name='rating'),
        ),
        migrations.AddField(
            model_name='rating',
            name='seated',
            field=models.DateTimeField(blank=True, null=True, verbose_name='last match'),
        ),
        migrations.AddField(
            model_name='rating',
            name='worst',
            field=models.PositiveIntegerField(default=0, verbose_name='worst rank'),
        ),
        migrations.CreateModel(
            name='Rated',
            fields=[
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='rated', serialize=False, to='bots.submission')),
                ('rating', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rated', to='leaderboards.rating')),
            ],
        ),
        migrations.CreateModel(
            name='PairCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seats', models.PositiveSmallIntegerField()),
                ('first_ahead', models.PositiveIntegerField()),
                ('tied', models.PositiveIntegerField()),
                ('second_ahead', models.PositiveIntegerField()),
                ('spread', models.PositiveBigIntegerField()),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competitions.competition')),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboards.rating')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboards.rating')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('first', 'second', 'seats'), name='one_count_a_pair')],
            },
        ),
        migrations.CreateModel(
            name='SeatCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('times', models.PositiveIntegerField()),
                ('rating', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='leaderboards.rating')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('rating', 'number'), name='one_count_a_seat')],
            },
        ),
            migrations.RunPython(count_results, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='rating',
            name='competition',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='competitions.competition'),
        ),
        migrations.RemoveField(
            model_name='rating',
            name='mu',
        ),
        migrations.RemoveField(
            model_name='rating',
            name='sigma',
        ),
        migrations.RemoveField(
            model_name='rating',
            name='submission',
        ),
        migrations.RunPython(migrations.RunPython.noop, forget_ratings),
    ]
