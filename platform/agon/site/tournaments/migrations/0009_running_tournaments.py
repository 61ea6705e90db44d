from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0008_game_version'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='tournament',
            index=models.Index(condition=models.Q(('state', 'running')), fields=['id'], name='tournament_is_running'),
        ),
    ]
