# x = integer(0, 2)
#: at x=0 plain Python has {(0,): '1/2', (0, 0): '1/2'}, taut {(0, 0): '1'}
from taut import binomial, discrete, flip, helper, mechanism, observe, uniform


@mechanism
def generated(x):
    a = [0, 0]
    if flip("1/2"):
        a.remove(0)
    a = [0 for v in reversed(a)]
    return a
