import agon.contest.secret_seeds
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0010_organizers'),
    ]

    operations = [
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
            options={'ordering': ['pk']},
        ),
        migrations.AddConstraint(
            model_name='seeddraw',
            constraint=models.CheckConstraint(condition=models.Q(('rerun__isnull', True)).__xor__(models.Q(('since__isnull', True))), name='for_a_rerun_or_new_rounds'),
        ),
    ]
