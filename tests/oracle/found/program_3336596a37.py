# x = integer(0, 2)
#: at x=0 plain Python has {(0,): '1'}, taut {(0, 0): '1'}
from taut import binomial, discrete, flip, helper, mechanism, observe, uniform


@mechanism
def generated(x):
    a = [0]
    n = x
    g = 0
    while g < 1 and n:
        g += 1
        a.insert(0, 0)
    a = [0 for v in reversed(a)]
    return a
