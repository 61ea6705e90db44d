import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        ('competitions', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Leaderboard',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveBigIntegerField(default=0)),
                ('changes', models.PositiveBigIntegerField(default=0)),
                ('fitted_changes', models.PositiveBigIntegerField(default=0)),
                ('fitted_played', models.PositiveBigIntegerField(default=0)),
                ('fit_seconds', models.FloatField(default=0.0)),
                ('next_fit', models.DateTimeField(blank=True, null=True)),
                ('recorded', models.DateTimeField(blank=True, null=True)),
                ('decide_first', models.PositiveIntegerField(default=0)),
                ('matches_left', models.PositiveIntegerField(default=0)),
                ('competition', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='leaderboard', to='competitions.competition')),
            ],
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('played', models.PositiveIntegerField(default=0, verbose_name='played')),
                ('won', models.PositiveIntegerField(default=0, verbose_name='won')),
                ('faults', models.PositiveIntegerField(default=0, verbose_name='faults')),
                ('seated', models.DateTimeField(blank=True, null=True, verbose_name='last match')),
                ('rating', models.FloatField(default=1500.0, verbose_name='rating')),
                ('low', models.FloatField(blank=True, null=True, verbose_name='lower end')),
                ('high', models.FloatField(blank=True, null=True, verbose_name='upper end')),
                ('best', models.PositiveIntegerField(default=0, verbose_name='best rank')),
                ('worst', models.PositiveIntegerField(default=0, verbose_name='worst rank')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='competitions.competition')),
                ('predecessor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='successors', to='leaderboards.rating')),
            ],
            options={
                'verbose_name': 'rating',
                'verbose_name_plural': 'ratings',
            },
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
            name='RatingPoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('value', models.FloatField()),
                ('low', models.FloatField()),
                ('high', models.FloatField()),
                ('played', models.PositiveIntegerField()),
                ('rating', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='points', to='leaderboards.rating')),
            ],
            options={
                'indexes': [models.Index(fields=['rating', 'at'], name='points_of_a_rating')],
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
    ]
