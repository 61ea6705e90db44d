from django.db import migrations

from agon.site.accounts.second_factor_keys import with_present_key


def encrypt(apps, schema_editor):
    """Secrets of apps, and what codes on paper are made of, were stored as they are."""
    for each in apps.get_model("mfa", "Authenticator").objects.exclude(type="webauthn"):
        each.data = with_present_key(each.data)
        each.save(update_fields=["data"])


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0003_about_the_owner"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [migrations.RunPython(encrypt, migrations.RunPython.noop)]
