"""A project is one SQLite file: items, features, append-only answers, names of clusters, and where the chains are.

`schema` has the tables, `database` the connection, `store` the rows, `holding` says who works on a project, and `project` is
what all faces use.
"""

from treetalk.errors import ProjectError, ProjectHeld
from treetalk.project.project import Project, open_project
from treetalk.project.store import Picture, Record

__all__ = ["Picture", "Project", "ProjectError", "ProjectHeld", "Record", "open_project"]
