import agon.site.archives.models
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('tournaments', '0002_reruns'),
    ]

    operations = [
        migrations.CreateModel(
            name='Day',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('date', models.DateField(unique=True)),
                ('lines', models.FileField(upload_to='chain')),
                ('digest', models.CharField(max_length=64)),
                ('matches', models.PositiveIntegerField()),
                ('acts', models.PositiveIntegerField()),
            ],
            options={
                'ordering': ['date'],
            },
        ),
        migrations.CreateModel(
            name='Signer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_key', models.CharField(max_length=100, unique=True)),
                ('since', models.DateTimeField(auto_now_add=True)),
                ('revoked', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Download',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('archive', 'Archive'), ('csv', 'Results as CSV'), ('jsonl', 'Results as JSON lines'), ('parquet', 'Results as Parquet'), ('sources', 'Sources')], max_length=10)),
                ('file', models.FileField(max_length=200, upload_to=agon.site.archives.models.download_path)),
                ('sha256', models.CharField(max_length=64)),
                ('size', models.PositiveBigIntegerField()),
                ('last_act', models.BigIntegerField(default=0)),
                ('made', models.DateTimeField(auto_now=True)),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='downloads', to='tournaments.tournament')),
            ],
            options={
                'ordering': ['kind'],
                'constraints': [models.UniqueConstraint(fields=('tournament', 'kind'), name='one_download_of_a_kind')],
            },
        ),
    ]
