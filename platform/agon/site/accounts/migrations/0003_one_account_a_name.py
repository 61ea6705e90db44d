import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    """Separate from 0002, because PostgreSQL cannot alter a table in the transaction that changed its rows."""

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
