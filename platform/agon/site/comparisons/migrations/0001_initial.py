import agon.site.core.db.fields
import django.db.models.deletion
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
            name='Comparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('running', 'running'), ('finished', 'finished'), ('cancelled', 'cancelled')], default='running', max_length=12, verbose_name='state')),
                ('seed', agon.site.core.db.fields.SeedField(verbose_name='seed')),
                ('seats', models.PositiveSmallIntegerField(verbose_name='seats')),
                ('opponents', models.JSONField(blank=True, default=list)),
                ('least', models.CharField(max_length=8)),
                ('most_cycles', models.PositiveIntegerField()),
                ('queued', models.PositiveIntegerField(default=0)),
                ('verdict', models.CharField(blank=True, max_length=16, verbose_name='verdict')),
                ('value', models.FloatField(blank=True, null=True)),
                ('low', models.FloatField(blank=True, null=True)),
                ('high', models.FloatField(blank=True, null=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='competitions.competition')),
                ('new', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.submission')),
                ('old', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.submission')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'comparison',
                'verbose_name_plural': 'comparisons',
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'running')), fields=('owner',), name='one_comparison_at_a_time'), models.CheckConstraint(condition=models.Q(('state__in', ['running', 'finished', 'cancelled'])), name='comparison_in_known_state')],
            },
        ),
    ]
