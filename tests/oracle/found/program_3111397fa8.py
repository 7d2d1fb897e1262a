# x = integer(0, 2)
#: at x=0 plain Python has {(0, 0): '1'}, taut {(0, 0, 0): '1'}
from taut import binomial, discrete, flip, helper, mechanism, observe, uniform


@mechanism
def generated(x):
    a = [0]
    x and a.append(0)
    a.extend(reversed(a))
    return a
