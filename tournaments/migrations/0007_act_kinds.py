from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0006_no_handicap")]

    operations = [
        migrations.AlterField(
            model_name="act",
            name="kind",
            field=models.CharField(max_length=10),
        ),
    ]
