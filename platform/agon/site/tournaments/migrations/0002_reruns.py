import agon.contest.secret_seeds
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('matches', '0001_initial'),
        ('tournaments', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Rerun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('playing', 'open'), ('applied', 'applied'), ('discarded', 'discarded')], default='playing', max_length=10)),
                ('reason', models.TextField()),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reruns', to='tournaments.tournament')),
            ],
        ),
        migrations.CreateModel(
            name='RerunMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('new', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='rerun', to='matches.match')),
                ('old', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='matches.match')),
                ('rerun', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='tournaments.rerun')),
            ],
        ),
        migrations.CreateModel(
            name='SeedDraw',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.PositiveIntegerField(null=True)),
                ('salt', models.CharField(default=agon.contest.secret_seeds.new_salt, max_length=64)),
                ('draw', models.CharField(default=agon.contest.secret_seeds.new_draw, max_length=64)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('rerun', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='draw', to='tournaments.rerun')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='draws', to='tournaments.tournament')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.AddConstraint(
            model_name='rerun',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'playing')), fields=('tournament',), name='one_open_rerun'),
        ),
        migrations.AddConstraint(
            model_name='seeddraw',
            constraint=models.CheckConstraint(condition=models.Q(('rerun__isnull', True), ('since__isnull', True), _connector='XOR'), name='for_a_rerun_or_new_rounds'),
        ),
    ]
