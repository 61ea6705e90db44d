import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0004_reopening'),
        ('competitions', '0002_no_creator'),
    ]

    operations = [
        migrations.AlterField(
            model_name='act',
            name='competition',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='acts', to='competitions.competition'),
        ),
        migrations.AlterField(
            model_name='act',
            name='verb',
            field=models.CharField(choices=[('create', 'created'), ('start', 'started'), ('pause', 'paused'), ('resume', 'resumed'), ('cancel', 'cancelled'), ('schedule', 'set the start'), ('not started', 'could not start'), ('withdraw', 'withdrew'), ('disqualify', 'disqualified'), ('reinstate', 'reinstated'), ('release', 'released the results'), ('reveal', 'revealed a place'), ('prize', 'set the prize'), ('sources open', 'opened the sources'), ('sources closed', 'closed the sources'), ('decide', 'had the first ranks decided'), ('no decide', 'stopped deciding the first ranks'), ('rerun', 'ran matches again'), ('apply', 'applied new results'), ('stop', 'stopped a bot'), ('let play', 'let a bot play again'), ('withdraw bot', 'withdrew a bot'), ('reenter', 'entered a bot again'), ('rename', 'renamed a bot'), ('delete', 'deleted a bot'), ('remove', 'removed a version'), ('close', 'closed an account'), ('park', 'parked a worker'), ('release worker', 'released a worker'), ('admin add', 'added in the administration'), ('admin change', 'changed in the administration'), ('admin delete', 'deleted in the administration'), ('reopen', 'reopened the tournament'), ('discard', 'discarded new results')], max_length=20, verbose_name='act'),
        ),
    ]
