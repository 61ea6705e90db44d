"""A session of the site with PostgreSQL is as the site needs it, whatever is set for the role."""

import pytest
from django.db import connection

SET = {"lock_timeout": "1s", "statement_timeout": "8s", "default_transaction_isolation": "serializable"}
NEEDED = {"lock_timeout": "0", "statement_timeout": "0", "default_transaction_isolation": "read committed"}


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_limits_that_are_set_for_the_role_fail_no_match():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no roles")
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    try:
        with connection.cursor() as cursor:
            for setting, value in SET.items():
                cursor.execute(f"ALTER ROLE CURRENT_USER IN DATABASE {name} SET {setting} = %s", [value])
        connection.close()  # they hold for new sessions
        with connection.cursor() as cursor:
            found = {}
            for setting in NEEDED:
                cursor.execute(f"SHOW {setting}")
                [found[setting]] = cursor.fetchone()
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER ROLE CURRENT_USER IN DATABASE {name} RESET ALL")
    assert found == NEEDED
