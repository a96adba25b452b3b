"""How the documentation is built: ``make docs``, or ``sphinx-build -W --keep-going -n -b html docs docs/_build/html``.

Code in the pages is executed, warnings are errors, and nothing is loaded from elsewhere, neither now nor by a reader.
"""

import os
import sys
import warnings
from pathlib import Path

import treetalk

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]  # our extensions; `bench` and `tests`, which pages look at

# Pages show what a person sees who sits before a terminal of this width, and who is called so.
os.environ["COLUMNS"] = "100"
os.environ["TREETALK_USER"] = "anna"
# Kernels that a page runs must not tell how they are compiled.
os.environ["PYTHONWARNINGS"] = "ignore"

project = "treetalk"
author = "The treetalk developers"
project_copyright = "The treetalk developers"
version = release = treetalk.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "generated",
    "mathml",
    "references",
]
exclude_patterns = ["_build", "_ext", "measured", "**/.ipynb_checkpoints"]
nitpicky = True
suppress_warnings = ["ref.python"]  # a name in a docstring may be that of several things; it is then no link

# Markdown, and the notebooks that pages are.
myst_enable_extensions = [
    "amsmath",
    "attrs_block",
    "attrs_inline",
    "colon_fence",
    "deflist",
    "dollarmath",
    "smartquotes",
]
myst_heading_anchors = 3
myst_dmath_double_inline = True
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_show_tb = True  # a cell that fails is a warning, and warnings are errors
nb_merge_streams = True
nb_ipywidgets_js = {}  # they would come from another server
nb_mime_priority_overrides = [("html", "text/html", 0), ("html", "image/svg+xml", 1)]

# The Python reference.
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
# Methods of our own bases are shown, those of Python's and scikit-learn's are not.
FOREIGN = (
    "object, tuple, dict, str, int, Enum, StrEnum, Protocol, Generic, BaseException, Exception, ValueError, ImportError, "
    "BaseEstimator, ClusterMixin, TransformerMixin, AnyWidget, HasTraits"
)
autodoc_default_options = {"members": True, "inherited-members": FOREIGN}
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
# Types are prose here ("array of shape (m, 3)"), so they are not looked up.
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # a field that is described by its class may have a docstring of its own too
napoleon_custom_sections = []
default_role = "py:obj"
add_module_names = False
warnings.filterwarnings("ignore", category=DeprecationWarning, module="sphinx")

# The look.
html_theme = "furo"
html_title = "treetalk"
html_static_path = ["_static"]
html_css_files = ["treetalk.css"]
html_favicon = "_static/leaf.svg"
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it would be fetched, which a browser does not allow for files on the disk
html_math_renderer = "mathml"
SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
MONO = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {
        "font-stack": SANS,
        "font-stack--monospace": MONO,
        "color-brand-primary": "#b8480a",
        "color-brand-content": "#b8480a",
        "color-brand-visited": "#8a3a12",
        "color-foreground-primary": "#24292f",
        "color-foreground-secondary": "#5c6670",
        "color-background-primary": "#ffffff",
        "color-background-secondary": "#f4f6f8",
        "color-background-border": "#d9dde2",
        "color-api-background": "#f4f6f8",
        "color-code-background": "#f4f6f8",
        "color-api-name": "#b8480a",
        "color-api-pre-name": "#5c6670",
        "color-sidebar-link-text--top-level": "#24292f",
        "color-toc-item-text--active": "#b8480a",
    },
    "dark_css_variables": {
        "color-brand-primary": "#f08a4b",
        "color-brand-content": "#f08a4b",
        "color-brand-visited": "#c98762",
        "color-foreground-primary": "#e3e6ea",
        "color-foreground-secondary": "#9aa4af",
        "color-background-primary": "#16191d",
        "color-background-secondary": "#1e2227",
        "color-background-border": "#363c44",
        "color-api-background": "#1e2227",
        "color-code-background": "#1e2227",
        "color-api-name": "#f08a4b",
        "color-api-pre-name": "#9aa4af",
        "color-sidebar-link-text--top-level": "#e3e6ea",
        "color-toc-item-text--active": "#f08a4b",
    },
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"
