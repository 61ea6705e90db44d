"""Numbers of students without characters that no one sees, as rosters are read since."""

from unicodedata import category

from django.db import migrations


def remove_invisible(apps, schema_editor):
    """A number that another student of the course has already stays as it is: a teacher decides."""
    students = apps.get_model("courses", "Student").objects
    for pk, course, number in list(students.values_list("pk", "course", "number")):
        visible = "".join(char for char in number if category(char) != "Cf").strip()
        if visible not in ("", number) and not students.filter(course=course, number=visible).exists():
            students.filter(pk=pk).update(number=visible)


class Migration(migrations.Migration):
    dependencies = [("courses", "0004_milestones_of_one_competition")]

    operations = [migrations.RunPython(remove_invisible, migrations.RunPython.noop)]
