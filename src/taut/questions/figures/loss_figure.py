"""The figure of a loss distribution: a histogram of the privacy loss under two inputs."""

from __future__ import annotations

from collections import defaultdict

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.questions.loss import LossDistribution
from taut.questions.ratio import epsilon_of
from taut.questions.text import short_text
from taut.support.pictures.bars import histogram
from taut.support.pictures.style import OURS, THEIRS, chart, finish, key

__all__ = ["draw_loss", "loss_figure"]


def loss_figure(loss: LossDistribution, title: str | None = None) -> Figure:
    """Draw the masses of the privacy losses under x and under x'; infinite losses stand at the edges."""
    figure, axes = chart("Privacy loss", r"loss, $\ln\,(P[A(x)=y]\,/\,P[A(x')=y])$", "probability")
    draw_loss(axes, loss)
    key(axes, OURS, f"under x = {short_text(loss.x)}")
    key(axes, THEIRS, f"under x' = {short_text(loss.x_prime)}")
    return finish(figure, axes, title)


def draw_loss(axes: Axes, loss: LossDistribution) -> None:
    """Draw the bars of a loss distribution, without words."""
    own: dict[float, float] = defaultdict(float)
    other: dict[float, float] = defaultdict(float)
    for atom in loss.atoms:
        own[epsilon_of(atom.ratio)] += float(atom.mass)
        other[epsilon_of(atom.ratio)] += float(atom.mass_prime)
    histogram(axes, {OURS: own, THEIRS: other})
