import agon.contest.secret_seeds
import django.db.models.deletion
from django.apps import apps as installed
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models


def create_group(apps, schema_editor):
    """Make the group whose members may run tournaments. Administrators add users to it."""
    # Permissions are otherwise made only after all migrations.
    config = installed.get_app_config('tournaments')
    create_permissions(config, verbosity=0, apps=apps, using=schema_editor.connection.alias)
    group, _ = apps.get_model('auth', 'Group').objects.get_or_create(name='Organizers')
    group.permissions.add(
        *apps.get_model('auth', 'Permission').objects.filter(
            content_type__app_label='tournaments', codename__in=['add_tournament', 'view_tournament']
        )
    )


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('bots', '0001_initial'),
        ('competitions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Tournament',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('format', models.CharField(max_length=40, verbose_name='format')),
                ('rounds', models.PositiveIntegerField(default=1, verbose_name='rounds')),
                ('seats', models.PositiveSmallIntegerField(verbose_name='seats')),
                ('seed', models.BigIntegerField(default=1, verbose_name='seed')),
                ('salt', models.CharField(default=agon.contest.secret_seeds.new_salt, editable=False, max_length=64)),
                ('draw', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('format_settings', models.JSONField(blank=True, default=dict)),
                ('state', models.CharField(choices=[('draft', 'draft'), ('running', 'running'), ('paused', 'paused'), ('finished', 'finished'), ('cancelled', 'cancelled')], default='draft', max_length=10, verbose_name='state')),
                ('sources_open', models.BooleanField(default=False, verbose_name='sources open')),
                ('total', models.PositiveIntegerField(default=0)),
                ('scheduled', models.PositiveIntegerField(default=0)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('starts_at', models.DateTimeField(blank=True, null=True, verbose_name='starts at')),
                ('field', models.CharField(choices=[('chosen', 'the chosen bots'), ('people', 'all active bots except house bots, when it starts'), ('all', 'all active bots, when it starts')], default='chosen', max_length=10)),
                ('release', models.CharField(choices=[('organizers', 'organizers'), ('entrants', 'entrants'), ('public', 'everyone')], default='public', max_length=10, verbose_name='results for')),
                ('revealed', models.PositiveIntegerField(default=0)),
                ('prize', models.CharField(blank=True, max_length=200, verbose_name='prize')),
                ('started', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tournaments', to='competitions.competition')),
                ('organizer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tournaments', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'tournament',
                'verbose_name_plural': 'tournaments',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Entrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('name', models.CharField(blank=True, max_length=40)),
                ('left', models.CharField(blank=True, choices=[('withdrawn', 'withdrawn'), ('disqualified', 'disqualified'), ('stopped', 'disqualified')], max_length=12)),
                ('stopped', models.TextField(blank=True)),
                ('absences', models.JSONField(blank=True, default=list)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='bots.bot')),
                ('submission', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='entries', to='bots.submission')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entrants', to='tournaments.tournament')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('tournament', 'number'), name='entrants_are_numbered'), models.UniqueConstraint(fields=('tournament', 'bot'), name='a_bot_enters_once')],
            },
        ),
        migrations.RunPython(create_group, migrations.RunPython.noop, hints={"fresh": True}),
    ]
