import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('audit', '0001_initial'),
        ('audit', '0002_organizing'),
        ('audit', '0003_sources_and_ranks'),
    ]

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('competitions', '0002_no_creator'),
        ('tournaments', '0001_squashed_0008_running'),
    ]

    operations = [
        migrations.CreateModel(
            name='Act',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='time')),
                ('verb', models.CharField(choices=[('create', 'created'), ('start', 'started'), ('pause', 'paused'), ('resume', 'resumed'), ('cancel', 'cancelled'), ('schedule', 'set the start'), ('not started', 'could not start'), ('withdraw', 'withdrew'), ('disqualify', 'disqualified'), ('reinstate', 'reinstated'), ('release', 'released the results'), ('reveal', 'revealed a place'), ('prize', 'set the prize'), ('sources open', 'opened the sources'), ('sources closed', 'closed the sources'), ('decide', 'had the first ranks decided'), ('no decide', 'stopped deciding the first ranks'), ('rerun', 'ran matches again'), ('apply', 'applied new results'), ('discard', 'discarded new results')], max_length=20, verbose_name='act')),
                ('subject', models.CharField(blank=True, max_length=120, verbose_name='subject')),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('details', models.JSONField(default=dict, verbose_name='details')),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='acts', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='acts', to='competitions.competition')),
                ('tournament', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='acts', to='tournaments.tournament')),
            ],
            options={
                'verbose_name': 'act',
                'verbose_name_plural': 'acts',
                'ordering': ['pk'],
            },
        ),
    ]
