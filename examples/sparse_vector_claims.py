"""Published variants of the sparse vector technique (Lyu, Su, Li 2017): exact e^epsilon against the number of answers.

The mechanisms, with the noise that each publication asks for, are those of the gallery (gallery/sparse_vector.py).
"""

import sys
import tempfile
from pathlib import Path

from taut import ints
from taut.interfaces.queries.functions import load_functions

GALLERY = load_functions(str(Path(__file__).parent / "gallery" / "sparse_vector.py"))
CLAIMED = {"1": 16, "2": 16, "3": 4, "4": 16, "5": 4, "6": 4}
"""The claimed e^epsilon of each algorithm, with at most one positive answer (c = 1) where there is a limit."""


def ratios(n):
    """For each algorithm the exact e^epsilon on n answers from 0 to 2 that all move by at most 1."""
    answers = ints(n, 0, 2)
    models = {
        name: GALLERY[f"algorithm_{name}"](answers, **({"c": 1} if name in ("1", "2", "4") else {})) for name in CLAIMED
    }
    return {name: model.privacy("all_step").max_ratio for name, model in models.items()}


def main() -> None:
    from taut.support.pictures.charts import lines
    from taut.support.pictures.style import legend_below, one_panel

    sizes = [1, 2, 3, 4, 5]
    tables = [ratios(n) for n in sizes]
    series = {}
    for name, claim in CLAIMED.items():
        exact = [float(table[name]) for table in tables]
        print(f"Algorithm {name} claimed {claim:3} exact", *[f"{value:.5g}" for value in exact])
        if name != "2":  # with one positive answer it is Algorithm 1
            label = {"1": "1 and 2"}.get(name, name)
            series[f"Algorithm {label}, claimed {claim}"] = (sizes, exact)
    figure, axes = one_panel()
    title = "Sparse vector variants: exact e^epsilon"
    lines(axes, series, title=title, x="answers", y="e^epsilon", log=True, legend=False)
    for claim in (4, 16):
        axes.axhline(claim, color="gray", linestyle=":", linewidth=1)
    axes.set_yticks([1, 2, 4, 8, 16, 32, 64, 128], ["1", "2", "4", "8", "16", "32", "64", "128"])
    axes.set(xticks=sizes, ylim=(1, 512))
    axes.minorticks_off()
    legend_below(figure, axes)
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="taut-")) / "sparse_vector.png"
    figure.savefig(target, dpi=150)
    print(target)


if __name__ == "__main__":
    main()
