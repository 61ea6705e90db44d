import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('competitions', '0001_initial'),
        ('tournaments', '0002_reruns'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Act',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='time')),
                ('verb', models.CharField(choices=[('create', 'created'), ('start', 'started'), ('pause', 'paused'), ('resume', 'resumed'), ('cancel', 'cancelled'), ('schedule', 'set the start'), ('not started', 'could not start'), ('withdraw', 'withdrew'), ('disqualify', 'disqualified'), ('reinstate', 'reinstated'), ('release', 'released the results'), ('reveal', 'revealed a place'), ('prize', 'set the prize'), ('enter', 'entered'), ('leave', 'took back the entry of'), ('sources open', 'opened the sources'), ('sources closed', 'closed the sources'), ('decide', 'had the first ranks decided'), ('no decide', 'stopped deciding the first ranks'), ('rerun', 'ran matches again'), ('apply', 'applied new results'), ('stop', 'stopped a bot'), ('let play', 'let a bot play again'), ('withdraw bot', 'withdrew a bot'), ('reenter', 'entered a bot again'), ('rename', 'renamed a bot'), ('delete', 'deleted a bot'), ('remove', 'removed a version'), ('close', 'closed an account'), ('park', 'parked a worker'), ('release worker', 'released a worker'), ('admin add', 'added in the administration'), ('admin change', 'changed in the administration'), ('admin delete', 'deleted in the administration'), ('reopen', 'reopened the tournament'), ('discard', 'discarded new results')], max_length=20, verbose_name='act')),
                ('subject', models.CharField(blank=True, max_length=120, verbose_name='subject')),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('details', models.JSONField(default=dict, verbose_name='details')),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='acts', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                ('competition', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='acts', to='competitions.competition')),
                ('tournament', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='acts', to='tournaments.tournament')),
            ],
            options={
                'verbose_name': 'act',
                'verbose_name_plural': 'acts',
                'ordering': ['pk'],
            },
        ),
    ]
