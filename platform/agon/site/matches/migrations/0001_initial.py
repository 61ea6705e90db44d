import agon.site.core.db.fields
import agon.site.core.texts.reason_field
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        ('comparisons', '0001_initial'),
        ('competitions', '0001_initial'),
        ('tournaments', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Match',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('qualification', 'qualification'), ('ladder', 'ladder'), ('tournament', 'tournament'), ('comparison', 'comparison'), ('rerun', 'run again')], max_length=14, verbose_name='kind')),
                ('queue', models.CharField(choices=[('interactive', 'interactive'), ('bulk', 'bulk')], max_length=12)),
                ('state', models.CharField(choices=[('queued', 'queued'), ('held', 'held'), ('running', 'running'), ('finished', 'finished'), ('void', 'void'), ('withdrawn', 'withdrawn')], default='queued', max_length=10, verbose_name='state')),
                ('seed', agon.site.core.db.fields.SeedField(verbose_name='seed')),
                ('index', models.PositiveIntegerField(default=0)),
                ('round', models.PositiveIntegerField(default=0, verbose_name='round')),
                ('attempt', models.PositiveSmallIntegerField(default=0)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('worker', models.CharField(blank=True, max_length=120)),
                ('environment', models.CharField(default='', editable=False, max_length=64)),
                ('reason', agon.site.core.texts.reason_field.ReasonField(blank=True, default=dict)),
                ('summary', models.JSONField(blank=True, default=dict)),
                ('steps', models.PositiveIntegerField(default=0, verbose_name='steps')),
                ('seconds', models.FloatField(blank=True, null=True, verbose_name='seconds')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('started', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('comparison', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='comparisons.comparison')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='competitions.competition')),
                ('qualifies', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='qualifications', to='bots.submission')),
                ('tournament', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='tournaments.tournament')),
            ],
            options={
                'verbose_name': 'match',
                'verbose_name_plural': 'matches',
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
                ('stored_bytes', models.PositiveIntegerField(default=0, editable=False)),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='matches.match')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='seats', to='bots.submission')),
            ],
            options={
                'ordering': ['number'],
            },
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
            name='RemovedRecord',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='removed_record', serialize=False, to='matches.match')),
                ('digest', models.CharField(max_length=64)),
                ('at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='FailedAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked', models.JSONField(default=list)),
                ('kind', models.CharField(max_length=10, verbose_name='kind')),
                ('details', agon.site.core.texts.reason_field.ReasonField(default=dict, verbose_name='details')),
                ('worker', models.CharField(max_length=120, verbose_name='worker')),
                ('started', models.DateTimeField(verbose_name='started')),
                ('ended', models.DateTimeField(db_index=True, verbose_name='ended')),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='failed_attempts', to='matches.match')),
            ],
            options={
                'verbose_name': 'failed attempt',
                'verbose_name_plural': 'failed attempts',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Stderr',
            fields=[
                ('seat', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='matches.seat')),
                ('data', models.BinaryField()),
                ('asks', models.BinaryField(default=b'')),
            ],
        ),
        migrations.CreateModel(
            name='Fault',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=12, verbose_name='kind')),
                ('step', models.PositiveIntegerField(verbose_name='step')),
                ('reason', agon.site.core.texts.reason_field.ReasonField(verbose_name='reason')),
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
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('state', 'queued')), fields=['queue', 'id'], name='match_queued'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('state', 'running')), fields=['lease_until'], name='match_running'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['competition', '-id'], name='match_of_competition'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['tournament', 'state'], name='match_of_tournament'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['competition', 'kind', 'state'], name='match_of_ladder'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('kind', 'comparison')), fields=['id'], name='match_compared'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.UniqueConstraint(fields=('tournament', 'index'), name='tournament_match_once'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.UniqueConstraint(fields=('comparison', 'index'), name='comparison_match_once'),
        ),
        migrations.AddConstraint(
            model_name='seat',
            constraint=models.UniqueConstraint(fields=('match', 'number'), name='one_submission_a_seat'),
        ),
        migrations.AddConstraint(
            model_name='workertime',
            constraint=models.UniqueConstraint(fields=('bot', 'since'), name='a_bot_has_a_slice_once'),
        ),
    ]
