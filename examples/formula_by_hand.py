"""Weighted Boolean formulas written by hand: a or b, and randomized response for two clients."""

import taut


def main() -> None:
    either = taut.formula("a or b", weights={"a": "1/3", "b": "3/4"})
    print("a or b, with w(a) = 1/3 and w(b) = 3/4")
    print(f"  weighted model count {either.count()}")
    print(f"  models               {taut.formula('a or b').count()}\n")

    response = taut.formula(
        "(y1 <-> ((!t1 & x1) | (t1 & !x1))) & (y2 <-> ((!t2 & x2) | (t2 & !x2)))",
        inputs=["x1", "x2"],
        outputs=["y1", "y2"],
        weights={"t1": "1/5", "t2": "1/5"},  # the weight of flipping
    )
    print("Randomized response for two clients, P(y | x):")
    inputs = [(0, 0), (1, 0), (1, 1)]
    print(response.inference((x, y) for x in inputs for y in response.domain))


if __name__ == "__main__":
    main()
