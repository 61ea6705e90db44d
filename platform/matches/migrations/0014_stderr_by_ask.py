from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("matches", "0013_comparisons"),
    ]

    operations = [
        migrations.AddField(
            model_name='stderr',
            name='asks',
            field=models.BinaryField(default=b''),
        ),
    ]
