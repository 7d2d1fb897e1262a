"""The paper's accuracy: counting, bounds against lambda, and the worst inputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from taut.domains import bits
from taut.interfaces.paper import figures
from taut.interfaces.paper.measurements import LAMBDA, Sizes, measure_rr_count
from taut.interfaces.paper.published import LOWEST_INPUTS
from taut.interfaces.paper.reproduction import CLOSED, Reproduction, bits_cell, count_cell, decimal, seconds_cell
from taut.interfaces.reports.tables import Table
from taut.mechanisms import randomized_response, rr_count
from taut.questions.epsilon_text import epsilon_digits

__all__ = ["bounds_against_lambda", "counting", "worst_inputs"]


def counting(made: Reproduction, sizes: Sizes) -> None:
    measured = [measure_rr_count(n) for n in sizes.count]
    rows = []
    for timed in measured:
        value = timed.answer.probability
        worst = timed.answer.witness.x
        ones = sum(worst)
        where = f"0^{timed.n}" if ones == 0 else f"1^{ones} 0^{timed.n - ones}" if ones < timed.n else f"1^{timed.n}"
        sized = (count_cell(timed.bdd), count_cell(timed.relation), count_cell(timed.probabilities))
        times = (timed.build, timed.inference, timed.synthesis)
        accuracy = (f"{float(value):.7f}", where)
        rows.append((str(timed.n), str(timed.answer.alpha), *sized, *accuracy, *map(seconds_cell, times)))
    table = Table(
        "rr_count_sizes_and_times",
        "Accuracy of RRcount with the paper's sets, lambda = 1/5, alpha = n/10 rounded up",
        ("n", "alpha", "BDD", "relation", "probabilities", "1-beta", "worst x", "build", "inference", "synthesis"),
        tuple(rows),
        (6,),
    )
    figure = made.figure(
        "rr_count",
        figures.rr_count_figure(measured),
        "Diagram sizes and times for the accuracy of RRcount, against the number of clients.",
    )
    two = rr_count(bits(2), lam=LAMBDA)
    bound = two.accuracy(sum, 1)
    classes = two.input_classes(sum, 1)
    value = f"{bound.probability!s} = 0.96"
    agrees = bound.probability == Fraction(24, 25)
    made.check("RRcount, n=2, alpha=1: 1-beta", "0.96", value if agrees else str(bound.probability), agrees)
    large = measured[-1]
    made.sections.append(
        f"""## 4. Counting: sizes and times

RRcount adds up the answers of randomized response, and we ask how surely the sum comes within alpha of the truth. The
output is now a number, and diagrams grow faster than for randomized response, about with the square of n. The paper has
two curves without numbers, and says that small n take under four minutes. Here are numbers, with its accuracy set
(1^i 0^(n-i), n+1 inputs) and its inference set (those inputs with all counts within alpha). The paper does not say
which alpha its curves have; a tenth of the clients is our choice.

{figure}
{made.table(table)}
*BDD* is the diagram for the input 0^n with the sum in binary, as a Dice program has it; *relation* has all inputs. The
largest size, n = {large.n}, takes {seconds_cell(large.seconds)} s in all.

The smallest case is printed in the text: for n = 2 and alpha = 1 the bound is 1-beta = {value}. It is attained by
{classes[0].count} of the four inputs, 00 and 11; on the other {classes[-1].count} it is {classes[-1].value}.
"""
    )


def bounds_against_lambda(made: Reproduction, _: Sizes) -> None:
    lambdas = [Fraction(percent, 100) for percent in range(5, 51, 5)]
    ratios, accuracies, rows = [], [], []
    for value in lambdas:
        ratio = randomized_response(bits(8), lam=value).privacy().max_ratio
        accuracy = rr_count(bits(8), lam=value).accuracy(sum, 3).probability
        ratios.append(ratio)
        accuracies.append(accuracy)
        exactly = (epsilon_digits(ratio), str(ratio), str(accuracy), f"{float(accuracy):.7f}")
        rows.append((f"{float(value):.2f}", str((1 - value) / value), *exactly))
    same = sum(ratio == (1 - value) / value for ratio, value in zip(ratios, lambdas, strict=True))
    what = "RR, n=8: e^eps at ten values of lambda"
    made.check(what, "(1-lambda)/lambda", f"{same} of 10 equal", same == 10, CLOSED)
    table = Table(
        "bounds_against_lambda",
        "Tight bounds for n = 8",
        ("lambda", "(1-lambda)/lambda", "RR: eps", "e^eps", "RRcount, alpha=3: 1-beta", "1-beta, decimal"),
        tuple(rows),
        (),
    )
    figure = made.figure(
        "bounds_against_lambda",
        figures.bounds_figure(lambdas, ratios, accuracies),
        "Privacy of RR and accuracy of RRcount (alpha = 3) for eight clients, against lambda.",
    )
    fifth = lambdas.index(Fraction(1, 5))
    made.sections.append(
        f"""## 5. Bounds against lambda

More noise is more private and less accurate, but neither in a straight line: that is the point of the paper's figure,
which has no numbers. From lambda = 0.05 to 0.2 e^eps falls from {ratios[0]} to {ratios[fifth]}, while 1-beta only falls
from {float(accuracies[0]):.4f} to {float(accuracies[fifth]):.4f}; from 0.2 to 0.5 it is accuracy that pays.

{figure}
{made.table(table)}"""
    )


def worst_inputs(made: Reproduction, _: Sizes) -> None:
    model = rr_count(bits(8), lam=LAMBDA)
    inputs = [tuple(int(bit) for bit in word) for word, _ in LOWEST_INPUTS]
    ours = model.accuracies(inputs, sum, 3)
    rows = []
    for (word, published), x in zip(LOWEST_INPUTS, inputs, strict=True):
        agrees = ours[x] == Fraction(published)
        rows.append((word, published, str(ours[x]), "yes" if agrees else "no"))
        made.check(f"RRcount, n=8, alpha=3: 1-beta at {word}", published, f"{float(ours[x]):.7f}", agrees)
    four = Table(
        "worst_inputs",
        "The four published rows, n = 8, lambda = 1/5, alpha = 3",
        ("input", "1-beta, published", "1-beta, taut", "equal"),
        tuple(rows),
        (0, 3),
    )
    equal = sum(row[-1] == "yes" for row in rows)
    classes = model.input_classes(sum, 3)
    distinct = Table(
        "worst_inputs_distinct",
        "All distinct values of 1-beta over the 256 inputs",
        ("1-beta", "decimal", "inputs", "one of them", "which"),
        tuple(
            (str(one.value), decimal(one.value), str(one.count), bits_cell(one.witness.x), _kind(one.witness.x))
            for one in classes
        ),
        (3, 4),
    )
    made.sections.append(
        f"""## 6. Worst inputs

Which databases make the count least accurate? The paper lists four inputs, with seven decimals; {equal} of the four
are equal to our fractions.

{made.table(four)}
Its caption promises distinct values, and these are two values, twice. Over all 256 inputs there are {len(classes)}:

{made.table(distinct)}
Unanimous databases are the worst: all errors then go the same way. The more evenly the bits are split, the better
errors cancel.
"""
    )


def _kind(x: Sequence[int]) -> str:
    odd = min(sum(x), len(x) - sum(x))
    if odd == 0:
        return "all bits alike"
    return "one odd bit" if odd == 1 else f"{odd} odd bits" if 2 * odd < len(x) else "half and half"
