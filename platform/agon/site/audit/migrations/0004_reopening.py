from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0003_sources_and_ranks'),
    ]

    operations = [
        migrations.AlterField(
            model_name='act',
            name='verb',
            field=models.CharField(choices=[('create', 'created'), ('start', 'started'), ('pause', 'paused'), ('resume', 'resumed'), ('cancel', 'cancelled'), ('schedule', 'set the start'), ('not started', 'could not start'), ('withdraw', 'withdrew'), ('disqualify', 'disqualified'), ('reinstate', 'reinstated'), ('release', 'released the results'), ('reveal', 'revealed a place'), ('prize', 'set the prize'), ('sources open', 'opened the sources'), ('sources closed', 'closed the sources'), ('decide', 'had the first ranks decided'), ('no decide', 'stopped deciding the first ranks'), ('rerun', 'ran matches again'), ('apply', 'applied new results'), ('reopen', 'reopened the tournament'), ('discard', 'discarded new results')], max_length=20, verbose_name='act'),
        ),
    ]
