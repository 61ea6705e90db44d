import agon.site.core.texts.reason_field
import agon.site.bots.models
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('competitions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Bot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40, verbose_name='name')),
                ('name_key', models.CharField(editable=False, max_length=800)),
                ('look_folded', models.CharField(db_index=True, default='', editable=False, max_length=64)),
                ('look_written', models.CharField(db_index=True, default='', editable=False, max_length=64)),
                ('house', models.BooleanField(default=False, verbose_name='house bot')),
                ('state', models.CharField(choices=[('entered', 'entered'), ('withdrawn', 'withdrawn'), ('stopped', 'stopped'), ('deleted', 'deleted')], default='entered', max_length=12, verbose_name='state')),
                ('reason', agon.site.core.texts.reason_field.ReasonField(blank=True, default=dict)),
                ('changed', models.DateTimeField(blank=True, null=True, verbose_name='since')),
                ('cleared', models.DateTimeField(blank=True, null=True)),
                ('first_win_shown', models.DateTimeField(blank=True, editable=False, null=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bots', to='competitions.competition')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bots', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'bot',
                'verbose_name_plural': 'bots',
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(verbose_name='version')),
                ('digest', models.CharField(max_length=64, verbose_name='digest')),
                ('program', models.CharField(blank=True, editable=False, max_length=64)),
                ('source', models.FileField(upload_to=agon.site.bots.models.source_path, verbose_name='source')),
                ('filename', models.CharField(max_length=255, verbose_name='file name')),
                ('pasted', models.BooleanField(default=False)),
                ('language', models.CharField(blank=True, max_length=40, verbose_name='language')),
                ('state', models.CharField(choices=[('received', 'received'), ('building', 'building'), ('built', 'built'), ('qualifying', 'qualifying'), ('active', 'active'), ('rejected', 'rejected'), ('replaced', 'replaced'), ('out', 'out of play'), ('removed', 'removed')], default='received', max_length=12, verbose_name='state')),
                ('reason', agon.site.core.texts.reason_field.ReasonField(blank=True, default=dict)),
                ('build_log', models.TextField(blank=True, verbose_name='build log')),
                ('artifact', models.FileField(blank=True, upload_to=agon.site.bots.models.artifact_path, verbose_name='artifact')),
                ('artifact_digest', models.CharField(blank=True, max_length=64)),
                ('source_bytes', models.PositiveBigIntegerField(default=0, editable=False)),
                ('artifact_bytes', models.PositiveBigIntegerField(default=0, editable=False)),
                ('attempt', models.PositiveSmallIntegerField(default=0)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('activated', models.DateTimeField(blank=True, null=True)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='bots.bot')),
            ],
            options={
                'verbose_name': 'submission',
                'verbose_name_plural': 'submissions',
                'ordering': ['-number'],
            },
        ),
        migrations.AddField(
            model_name='bot',
            name='active',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='bots.submission', verbose_name='active submission'),
        ),
        migrations.CreateModel(
            name='FormerName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name_key', models.CharField(max_length=800)),
                ('given_up', models.DateTimeField(auto_now_add=True)),
                ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competitions.competition')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['competition', 'name_key'], name='former_name_of_a_bot')],
            },
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['state', 'id'], name='submission_by_state'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(fields=('bot', 'number'), name='submissions_are_numbered'),
        ),
        migrations.AddConstraint(
            model_name='bot',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'deleted'), _negated=True), fields=('competition', 'name_key'), name='one_bot_a_name'),
        ),
        migrations.AddConstraint(
            model_name='bot',
            constraint=models.CheckConstraint(condition=models.Q(('active', None), ('state', 'entered'), _connector='OR'), name='only_entered_bots_have_an_active_submission'),
        ),
        migrations.AddConstraint(
            model_name='bot',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['entered', 'withdrawn', 'stopped', 'deleted'])), name='bot_in_a_known_state'),
        ),
    ]
