import agon.site.core.texts.reason_field
import django.db.models.deletion
import agon.site.trials.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        ('competitions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Trial',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(default=agon.site.trials.models.new_token, max_length=32, unique=True)),
                ('person', models.CharField(max_length=64)),
                ('network', models.CharField(max_length=64)),
                ('name', models.CharField(max_length=40)),
                ('language', models.CharField(max_length=40)),
                ('text', models.TextField()),
                ('state', models.CharField(choices=[('queued', 'queued'), ('running', 'running'), ('finished', 'finished'), ('rejected', 'rejected'), ('failed', 'failed')], default='queued', max_length=10, verbose_name='state')),
                ('reason', agon.site.core.texts.reason_field.ReasonField(blank=True, default=dict)),
                ('build_log', models.TextField(blank=True)),
                ('attempt', models.PositiveSmallIntegerField(default=0)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('worker', models.CharField(blank=True, max_length=120)),
                ('used', models.FloatField(default=0.0)),
                ('record', models.BinaryField(default=b'')),
                ('times', models.BinaryField(default=b'')),
                ('stderr', models.BinaryField(default=b'')),
                ('stderr_asks', models.BinaryField(default=b'')),
                ('stored_bytes', models.PositiveIntegerField(default=0)),
                ('created', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trials', to='competitions.competition')),
                ('opponent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.submission')),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='trials', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'trial',
                'verbose_name_plural': 'trials',
                'ordering': ['id'],
                'indexes': [models.Index(fields=['state', 'id'], name='trial_by_state'), models.Index(fields=['id', 'stored_bytes'], name='trial_sizes')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ('queued', 'running'))), fields=('person',), name='one_trial_a_person')],
            },
        ),
    ]
