import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    """Apart from the filling: PostgreSQL changes rows and tables one after the other."""

    dependencies = [("accounts", "0002_folded")]
    operations = [
        migrations.RemoveConstraint("user", "one_account_a_name"),
        migrations.AddConstraint(
            "user",
            models.UniqueConstraint(
                fields=("folded",),
                name="one_account_a_name",
                violation_error_message="A user with that username already exists.",
            ),
        ),
    ]
