import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Competition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True, verbose_name='address')),
                ('game', models.CharField(max_length=60, verbose_name='game')),
                ('title', models.CharField(max_length=120, verbose_name='title')),
                ('summary', models.CharField(blank=True, max_length=400, verbose_name='summary')),
                ('state', models.CharField(choices=[('open', 'open'), ('closed', 'closed')], default='open', max_length=10, verbose_name='state')),
                ('keep_days', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='days that records are kept')),
                ('keep_mib', models.PositiveIntegerField(default=8192, validators=[django.core.validators.MinValueValidator(1)], verbose_name='MiB of records that are kept')),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'verbose_name': 'competition',
                'verbose_name_plural': 'competitions',
                'ordering': ['title'],
            },
        ),
    ]
