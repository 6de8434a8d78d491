"""An initial migration that renders its models once."""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel, Migration
from django.db.migrations.state import ProjectState


class Creation(Migration):
    """A migration of `CreateModel` operations only.

    After each operation Django renders every related model again, and in this project all models
    are related: 4,300 renderings for a hundred models, most of the time of a first start.
    """

    def apply(
        self,
        project_state: ProjectState,
        schema_editor: BaseDatabaseSchemaEditor,
        collect_sql: bool = False,
    ) -> ProjectState:
        if not all(isinstance(operation, CreateModel) for operation in self.operations):
            raise TypeError("Only CreateModel operations can be applied at once.")
        project_state.__dict__.pop("apps", None)  # a cached property; states render it on demand
        state = self.mutate_state(project_state, preserve=False)
        for operation in self.operations:
            operation.database_forwards(self.app_label, schema_editor, state, state)
        return state
