# x = bits(2)
#: at x=(0, 0) plain Python has {(0,): '1'}, taut {(): '1'}
from taut import binomial, discrete, flip, helper, mechanism, observe, uniform

@helper
def first(items, default=0):
    for item in items:
        return 0

@mechanism
def generated(x):
    a = [0, 0]

    def b():
        yield from a
    d = b()
    n = first(d, 0)
    return list(d)
