"""The site: Sphinx with furo, pages in Markdown, the reference from the code. ``make docs`` builds it, offline."""

from __future__ import annotations

import sys
from pathlib import Path

from bideta import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "bideta"
author = "The bideta developers"
copyright = "The bideta developers, Apache-2.0"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "from_code"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
exclude_patterns = ["_ext"]
suppress_warnings = ["myst.header"]  # generated pages fold their details below level-two headings

autodoc_typehints = "none"  # the signature shows them
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_use_rtype = False
napoleon_use_ivar = True  # attributes in one list, without an entry each
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"bideta {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
