import agon.site.core.db.fields
import agon.site.core.texts.reasons
import django.db.models.deletion
import agon.site.matches.models
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('matches', '0001_initial'),
        ('matches', '0002_indexes'),
        ('matches', '0003_names_of_the_time'),
        ('matches', '0004_secret_seeds_and_worker_time'),
        ('matches', '0005_no_challenges'),
        ('matches', '0006_reasons'),
        ('matches', '0007_steps'),
        ('matches', '0008_recordings'),
        ('matches', '0009_reworded_reasons'),
        ('matches', '0010_worker_watch'),
        ('matches', '0011_reruns'),
        ('matches', '0012_slowest_answers'),
    ]

    initial = True

    dependencies = [
        ('bots', '0001_squashed_0011_reworded_reasons'),
        ('competitions', '0002_no_creator'),
        ('tournaments', '0001_squashed_0008_running'),
    ]

    operations = [
        migrations.CreateModel(
            name='Match',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('qualification', 'qualification'), ('ladder', 'ladder'), ('tournament', 'tournament'), ('rerun', 'run again')], max_length=14, verbose_name='kind')),
                ('queue', models.CharField(choices=[('interactive', 'interactive'), ('bulk', 'bulk')], max_length=12)),
                ('state', models.CharField(choices=[('queued', 'queued'), ('held', 'held'), ('running', 'running'), ('finished', 'finished'), ('void', 'void'), ('withdrawn', 'withdrawn')], default='queued', max_length=10, verbose_name='state')),
                ('seed', agon.site.core.db.fields.SeedField(verbose_name='seed')),
                ('index', models.PositiveIntegerField(default=0)),
                ('round', models.PositiveIntegerField(default=0, verbose_name='round')),
                ('attempt', models.PositiveSmallIntegerField(default=0)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('worker', models.CharField(blank=True, max_length=120)),
                ('reason', agon.site.core.texts.reasons.ReasonField(blank=True, default=dict)),
                ('record', models.FileField(blank=True, max_length=200, upload_to=agon.site.matches.models.record_path)),
                ('files', models.FileField(blank=True, max_length=200, upload_to=agon.site.matches.models.record_path)),
                ('summary', models.JSONField(blank=True, default=dict)),
                ('steps', models.PositiveIntegerField(default=0, verbose_name='steps')),
                ('seconds', models.FloatField(blank=True, null=True, verbose_name='seconds')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('started', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='competitions.competition')),
                ('qualifies', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='qualifications', to='bots.submission')),
                ('tournament', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='tournaments.tournament')),
            ],
            options={
                'verbose_name': 'match',
                'verbose_name_plural': 'matches',
                'indexes': [models.Index(condition=models.Q(('state', 'queued')), fields=['queue', 'id'], name='match_queued'), models.Index(condition=models.Q(('state', 'running')), fields=['lease_until'], name='match_running'), models.Index(fields=['competition', '-id'], name='match_of_competition'), models.Index(fields=['tournament', 'state'], name='match_of_tournament'), models.Index(fields=['competition', 'kind', 'state'], name='match_of_ladder')],
                'constraints': [models.UniqueConstraint(fields=('tournament', 'index'), name='tournament_match_once')],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=40)),
                ('score', models.CharField(blank=True, max_length=60, verbose_name='score')),
                ('rank', models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='rank')),
                ('won', models.BooleanField(default=False)),
                ('slowest', models.FloatField(blank=True, editable=False, null=True)),
                ('stderr', models.FileField(blank=True, max_length=200, upload_to=agon.site.matches.models.stderr_path)),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='matches.match')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='seats', to='bots.submission')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('match', 'number'), name='one_submission_a_seat')],
            },
        ),
        migrations.CreateModel(
            name='Watch',
            fields=[
                ('competition', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='competitions.competition')),
                ('looks', models.PositiveIntegerField(default=0)),
                ('looked', models.DateTimeField(null=True)),
                ('latest', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Recording',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='recording', serialize=False, to='matches.match')),
                ('record', models.BinaryField()),
                ('times', models.BinaryField()),
                ('files', models.BinaryField(default=b'')),
                ('log', models.BinaryField(default=b'')),
            ],
        ),
        migrations.CreateModel(
            name='OddWorker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.CharField(max_length=120, verbose_name='worker')),
                ('state', models.CharField(choices=[('parked', 'parked'), ('reported', 'reported'), ('released', 'released')], max_length=10, verbose_name='state')),
                ('finding', agon.site.core.texts.reasons.ReasonField(default=dict, verbose_name='finding')),
                ('found', models.DateTimeField(verbose_name='found')),
                ('released', models.DateTimeField(blank=True, null=True, verbose_name='released')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competitions.competition')),
            ],
            options={
                'verbose_name': 'odd worker',
                'verbose_name_plural': 'odd workers',
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'released'), _negated=True), fields=('worker',), name='worker_is_odd_once')],
            },
        ),
        migrations.CreateModel(
            name='Stderr',
            fields=[
                ('seat', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='matches.seat')),
                ('data', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='Fault',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=12, verbose_name='kind')),
                ('step', models.PositiveIntegerField(verbose_name='step')),
                ('reason', models.TextField(verbose_name='reason')),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='faults', to='matches.seat')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='WorkerTime',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.DateTimeField(db_index=True)),
                ('seconds', models.FloatField(default=0.0)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.bot')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('bot', 'since'), name='a_bot_has_a_slice_once')],
            },
        ),
    ]
