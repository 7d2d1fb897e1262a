"""How Sphinx renders the pages that ``build.py`` puts together; everything is local, so that the site works offline."""

import taut

project = "taut"
author = "the taut authors"
copyright = author
release = taut.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}
suppress_warnings = [
    "misc.highlighting_failure",  # code that is shown because it is not Python: refused, or Dice
    "myst.header",  # pages that other programs make start their sections where it suits them
    "ref.python",  # a word that several classes have as an attribute; it is then shown without a link
]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_dmath_allow_digits = False
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # signatures stay short; the text says what arguments mean
autodoc_class_signature = "separated"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"taut {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
