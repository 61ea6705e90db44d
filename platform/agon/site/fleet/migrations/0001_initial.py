import agon.site.core.texts.reason_field
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('competitions', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Environment',
            fields=[
                ('digest', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('facts', models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name='PausedWorker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.CharField(max_length=120, unique=True, verbose_name='worker')),
                ('details', agon.site.core.texts.reason_field.ReasonField(default=dict, verbose_name='details')),
                ('since', models.DateTimeField(verbose_name='paused since')),
                ('tried', models.DateTimeField(verbose_name='last tried')),
            ],
            options={
                'verbose_name': 'paused worker',
                'verbose_name_plural': 'paused workers',
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
            name='OddWorker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.CharField(max_length=120, verbose_name='worker')),
                ('state', models.CharField(choices=[('parked', 'parked'), ('reported', 'reported'), ('released', 'released')], max_length=10, verbose_name='state')),
                ('finding', agon.site.core.texts.reason_field.ReasonField(default=dict, verbose_name='finding')),
                ('found', models.DateTimeField(verbose_name='found')),
                ('released', models.DateTimeField(blank=True, null=True, verbose_name='released')),
                ('seen', models.DateTimeField(blank=True, null=True, verbose_name='last seen')),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competitions.competition')),
            ],
            options={
                'verbose_name': 'odd worker',
                'verbose_name_plural': 'odd workers',
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'released'), _negated=True), fields=('worker',), name='worker_is_odd_once')],
            },
        ),
    ]
