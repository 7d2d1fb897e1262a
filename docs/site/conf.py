"""How Sphinx renders the pages that ``build.py`` puts together; everything is local, so that the site works offline."""

import inspect
import logging
from typing import Any

from latex2mathml.converter import convert

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
]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_dmath_allow_digits = False
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
logging.getLogger("traitlets").setLevel(logging.WARNING)  # a library of the theme has every message printed

napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # signatures stay short; the text says what arguments mean

highlight_language = "text"  # blocks without a language are output, trees and formulas

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

smartquotes = False  # x' is not a quotation, and --alpha has two dashes

html_theme = "furo"
html_math_renderer = "mathml"
html_title = f"taut {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False


def setup(app: Any) -> None:
    app.add_html_math_renderer("mathml", (_formula, None), (_displayed, None))
    app.connect("autodoc-process-docstring", _no_type, priority=400)  # before Napoleon
    app.connect("autodoc-skip-member", _is_foreign)


def _formula(writer: Any, node: Any) -> None:
    """Formulas as MathML, which browsers show by themselves: MathJax would come from a network."""
    from docutils.nodes import SkipNode

    writer.body.append(convert(node.astext()))
    raise SkipNode


def _displayed(writer: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    writer.body.append(convert(node.astext(), display="block"))
    raise SkipNode


def _no_type(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Napoleon takes what stands before a colon in the docstring of an attribute for its type; here it never is."""
    if what in ("attribute", "property", "data") and lines and ":" in lines[0]:
        lines[0] = f": {lines[0]}"


def _is_foreign(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Leave out methods that a class of taut inherits from elsewhere: they have docstrings in styles of their own."""
    if inspect.isroutine(value) and not str(getattr(value, "__module__", None)).startswith("taut"):
        return True
    return None
