"""The reading face: Sphinx, MyST-NB and the book theme, with nothing that a page would fetch from elsewhere."""

import re
from pathlib import Path
from typing import Any

import ipywidgets.embed
import pages
from docutils import nodes
from docutils.parsers.rst import Directive
from myst_nb.core import render
from sphinx.application import Sphinx

project = "emq"
author = "the emq authors"
copyright = author  # noqa: A001 - Sphinx reads this name
html_title = "emq: jobs are entities"
extensions = ["myst_nb"]
exclude_patterns = ["_build"]
html_static_path = ["_static"]
html_css_files = ["site.css", "widgets.css"]
html_js_files = [("widgets.js", {"type": "module"}), "site.js"]
html_theme = "sphinx_book_theme"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
html_permalinks_icon = "#"
html_theme_options: dict[str, Any] = {
    "logo": {"text": "emq"},
    "home_page_in_toc": True,
    "show_toc_level": 2,
    "show_prev_next": True,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "use_repository_button": False,
    "use_source_button": False,
    # The book theme has its own search and no bar above the page.
    "navbar_start": [],
    "navbar_center": [],
    "navbar_end": [],
    "navbar_persistent": [],
}
html_sidebars = {"**": ["navbar-logo.html", "search-button-field.html", "sbt-sidebar-nav.html"]}
html_context = {"default_mode": "auto"}
html_favicon = "_static/favicon.svg"
pygments_style = "tango"

# Outputs and widget state are stored in the notebooks; building runs no cell.
nb_execution_mode = "off"
# site/widgets takes the place of the embedding script, which MyST-NB would load from another host.
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
nb_number_source_lines = False
nb_merge_streams = True
suppress_warnings = ["mystnb.unknown_mime_type"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3


def _finalise(renderer: Any, metadata: dict[str, Any]) -> None:
    """Writes a notebook's widget state so that no string in it can leave its script element.

    MyST-NB writes it nearly raw: it knows `</script>`, but not `</scRipt >`.
    """
    state = (metadata.get("widgets") or {}).get(pages.STATE, {})
    if not state.get("state"):
        return
    docname = renderer.renderer.sphinx_env.docname
    live = pages.live_url(docname.removeprefix("dives/") + ".ipynb", "../" * docname.count("/"))
    state, shared = pages.without_kernel(state, live)
    for name, text in shared.items():
        renderer.add_js_file(name, None, {"type": "application/json", "id": name, "body": pages.in_script(text)})
    renderer.add_js_file("ipywidgets_state", None, {"type": pages.STATE, "body": pages.in_script(state)})


def _view(_renderer: Any, data: Any) -> list[nodes.Element]:
    return [nodes.raw(text=f'<script type="{pages.VIEW}">{pages.in_script(data.string)}</script>', format="html")]


render.NbElementRenderer.render_nb_finalise = _finalise
render.NbElementRenderer.render_widget_view = _view


class Show(Directive):
    """``:::{show-widget} emq.widgets:LiveSort``: a widget with its first state, alive on a page that is no notebook."""

    required_arguments = 1
    has_content = False

    def run(self) -> list[nodes.Node]:
        module, name = self.arguments[0].split(":")
        widget = getattr(__import__(module, fromlist=[name]), name)()
        data = ipywidgets.embed.embed_data(views=[widget], drop_defaults=False)
        docname = self.state.document.settings.env.docname
        live = pages.live_url("1-the-job-row.ipynb", "../" * docname.count("/"))
        state, shared = pages.without_kernel(data["manager_state"], live)
        view = f'<script type="{pages.VIEW}">{pages.in_script(data["view_specs"][0])}</script>'
        return [nodes.raw("", view + pages.state_scripts(state, shared), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("show-widget", Show)
    app.connect("html-page-context", _context)
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _context(_app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Under the title of a dive, the way to its other faces."""
    if not pagename.startswith("dives/") or not context.get("body"):
        return
    name, up = pagename.removeprefix("dives/"), "../" * pagename.count("/")
    links = f'<a class="emq-face emq-face--live" href="{pages.live_url(f"{name}.ipynb", up)}">Run it live</a>'
    if "/" not in name:  # the answers have no slides
        links += f'<a class="emq-face" href="{up}slides/{name}.html">Slides</a>'
    nav = f'</h1>\n<nav class="emq-faces" aria-label="This dive elsewhere">{links}</nav>'
    context["body"] = context["body"].replace("</h1>", nav, 1)


# The theme draws a dozen icons with a script of 1.5 MB; site.css draws them.
_ICONS = re.compile(r"<(script|link)[^>]*scripts/fontawesome\.js[^>]*>(</script>)?\s*")


def _finish(app: Sphinx, fault: Exception | None) -> None:
    if fault:
        return
    for page in Path(app.outdir).glob("**/*.html"):
        text = page.read_text("utf-8")
        if (lean := _ICONS.sub("", text)) != text:
            page.write_text(lean, "utf-8")
    static = Path(app.outdir, "_static")
    # What no page asks for: that script, a template of the theme's, maps of minified code.
    for left in [static / "scripts/fontawesome.js", *static.glob("*webpack-macros.html"), *static.rglob("*.map")]:
        left.unlink(missing_ok=True)
