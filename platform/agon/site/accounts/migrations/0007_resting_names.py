import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0006_name_key'),
    ]

    operations = [
        migrations.CreateModel(
            name='RestingName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('since', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
    ]
