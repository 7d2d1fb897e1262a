"""Build the documentation site: ``python docs/site/build.py`` or ``make docs``.

The pages of ``docs/`` are plain Markdown that reads well where it is stored. This script puts them, the notebooks and
the reference, which is made from docstrings and from the command line, into one folder; Sphinx turns that folder into
the site. Every warning is an error, so links that lead nowhere fail.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import figures
import reference

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
NOTEBOOKS = ROOT / "examples" / "notebooks"
OUTSIDE = {f"{name.upper()}.md": f"project/{name}.md" for name in ("readme", "changelog", "contributing")}
OUTSIDE["examples/notebooks/README.md"] = "notebooks/course.md"
"""Pages that are kept outside of docs/, and where they stand in the site."""
PICTURES = (".png", ".svg")
TAKEN = {"search.md": "search_for_bounds.md"}
"""Pages of docs/ that cannot keep their names, since the generator has pages of that name."""

KERNEL = "c.IPKernelApp.log_level = 'ERROR'\n"
"""How notebooks are run: not by the settings of whoever builds the site, and in silence."""

LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
FENCE = re.compile(r"^(```|~~~)")
FIGURE = re.compile(r"^<!-- figure: (\w+) \| (.+) -->$", re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", help="where the site is written")
    parser.add_argument("--pages", type=Path, default=ROOT / "build" / "pages", help="where its pages are collected")
    options = parser.parse_args()
    collect(options.pages)
    for name, drawn in reference.pictures().items():  # half a minute, so not in collect, which tests call
        _write(options.pages / "reference" / name, drawn)
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "--fresh-env"]
    with tempfile.TemporaryDirectory() as settings:
        environment = {**os.environ, "IPYTHONDIR": settings}
        _write(Path(settings, "profile_default", "ipython_kernel_config.py"), KERNEL)
        command += ["-b", "html", "-c", str(DOCS / "site"), str(options.pages), str(options.out)]
        code = subprocess.run(command, env=environment).returncode
    if code:
        sys.exit(code)
    print(f"the site is in {os.path.relpath(options.out)}: open index.html")


def collect(pages: Path) -> None:
    """Write all pages of the site, with links between them, into a folder of their own."""
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    homes = _homes()
    shown: set[Path] = set()  # pictures, source files and folders that pages link to
    for source, home in homes.items():
        text = source.read_text(encoding="utf-8")
        if source.suffix == ".md":
            text = _drawn(text, home, pages)
        if source == DOCS / "index.md":
            lines = [f"- [{title}](reference/{name})" for name, title in reference.PAGES.items()]
            text = text.replace("<!-- reference -->", "\n".join(lines))
            text += _navigation(text, homes)
        _write(pages / home, _linked(text, source, home, homes | _made(), shown))
    for path in sorted(shown):
        _write(pages / _shown_at(path), path.read_bytes() if path.suffix in PICTURES else _listing(path))
    for name, text in reference.pages().items():
        _write(pages / "reference" / name, text)


def _homes() -> dict[Path, str]:
    """Where each document stands in the site."""
    inside = {path: str(path.relative_to(DOCS)) for path in sorted(DOCS.rglob("*.md"))}
    homes = {path: TAKEN.get(name, name) for path, name in inside.items()}
    homes |= {ROOT / name: home for name, home in OUTSIDE.items()}
    return homes | {path: f"notebooks/{path.name}" for path in sorted(NOTEBOOKS.glob("*.ipynb"))}


def _made() -> dict[Path, str]:
    """The reference pages, as if they were documents."""
    return {DOCS / "reference" / name: f"reference/{name}" for name in reference.PAGES}


def _navigation(text: str, homes: dict[Path, str]) -> str:
    """The lists of links on the first page as the navigation of the site; pages that no list names come last."""
    sections: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        item = re.match(r"- \[([^]]+)\]\(([^)#\s]+)", line)
        if line.startswith("## "):
            sections[line[3:]] = {}
        elif item and sections:
            home = (homes | _made()).get((DOCS / item[2]).resolve())
            if home is not None:
                sections[list(sections)[-1]][home] = item[1]
    listed = {home for section in sections.values() for home in section} | {"index.md"}
    sections["More"] = {home: "" for home in homes.values() if home not in listed}
    blocks = []
    for caption, entries in sections.items():
        pages = {str(Path(home).with_suffix("")): title for home, title in entries.items()}
        names = "\n".join(f"{title} <{page}>" if title else page for page, title in pages.items())
        if names:
            blocks.append(f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{names}\n```\n")
    return "".join(blocks)


def _linked(text: str, source: Path, home: str, homes: dict[Path, str], shown: set[Path]) -> str:
    """The text with its links as they are in the site; ``shown`` gets the pictures and source files that it needs."""

    def link(match: re.Match[str]) -> str:
        before, target, after = match.groups()
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        path = (source.parent / target).resolve()
        if path in homes:
            to = homes[path]
        elif path.is_relative_to(ROOT) and path.exists():
            shown.add(path)
            to, after = _shown_at(path), ")"
        else:
            raise SystemExit(f"{source.relative_to(ROOT)} links to {target}, which is not there")
        return before + os.path.relpath(to, Path(home).parent) + after

    if source.suffix == ".ipynb":
        return LINK.sub(link, text)
    lines, fenced = [], False
    for line in text.split("\n"):
        fenced ^= bool(FENCE.match(line))
        lines.append(line if fenced else LINK.sub(link, line))
    return "\n".join(lines)


def _drawn(text: str, home: str, pages: Path) -> str:
    """The text with its figures, which the package draws: ``<!-- figure: name | caption -->``."""

    def draw(match: re.Match[str]) -> str:
        name, caption = match.groups()
        path = pages / "_figures" / f"{name}.svg"
        _write(path, figures.FIGURES[name]())
        to = os.path.relpath(path, (pages / home).parent)
        return f"```{{figure}} {to}\n:alt: {caption}\n:width: 100%\n\n{caption}\n```"

    return FIGURE.sub(draw, text)


def _shown_at(path: Path) -> str:
    """Where a picture stands in the site, or the page that shows a source file or folder."""
    name = path.relative_to(ROOT)
    return f"_pictures/{name}" if path.suffix in PICTURES else f"source/{name}.md"


def _listing(path: Path) -> str:
    """A page that shows a file, or the files of a folder."""
    title = f"---\norphan: true\n---\n\n# {path.relative_to(ROOT)}\n\n"
    if path.is_dir():
        files = sorted(item for item in path.iterdir() if item.suffix in (".py", ".md", ".ipynb"))
        return title + "".join(f"- `{item.name}`{_summary(item)}\n" for item in files)
    language = {".py": "python", ".toml": "toml"}.get(path.suffix, "text")
    return f"{title}`````{language}\n{path.read_text(encoding='utf-8').rstrip()}\n`````\n"


def _summary(path: Path) -> str:
    """The first sentence of a module, as it stands in its docstring."""
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    return ": " + first.strip('"').strip() if first.startswith('"""') else ""


def _write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


if __name__ == "__main__":
    main()
