"""A mechanism with a list, an early return and an observation, and its exact distribution."""

from taut import bits, flip, mechanism, observe


@mechanism
def first_two(x, lam):
    """The places of the first two entries whose noisy bit is one, given that there is at least one."""
    found = []
    for place, bit in enumerate(x):
        if bit ^ flip(lam):
            found.append(place)
            if len(found) == 2:
                return found
    observe(len(found) > 0)
    return found


def main() -> None:
    model = first_two(bits(4), lam="1/5")
    x = (0, 1, 0, 1)
    distribution = model.distribution(x)

    print(f"first_two at x = {x}, each bit flipped with probability 1/5:\n")
    for places, probability in sorted(distribution.items(), key=lambda row: -row[1]):
        print(f"  {places!s:8} {probability!s:>8}  {float(probability):.6f}")
    print(f"\nThey sum to {sum(distribution.values())}. The denominator is what was observed: 609 of 625 parts.")

    print(f"P(no place at all) = {model.probability(x, ())}, as observed.")
    print(f"Called with data it runs once, with real randomness: {first_two(x, lam='1/5')}")


if __name__ == "__main__":
    main()
