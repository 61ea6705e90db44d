from django.db import migrations, models


class Migration(migrations.Migration):
    """Rename the field by which names are compared: `name_key`, as in agon.site.core.db.name_keys."""

    dependencies = [("accounts", "0005_looks")]
    operations = [
        migrations.RemoveConstraint("user", "one_account_a_name"),
        migrations.RenameField("user", "folded", "name_key"),
        migrations.AddConstraint(
            "user",
            models.UniqueConstraint(
                fields=("name_key",),
                name="one_account_a_name",
                violation_error_message="A user with that username already exists.",
            ),
        ),
    ]
