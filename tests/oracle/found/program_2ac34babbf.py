# x = bits(2)
#: at x=(0, 0) plain Python has {(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0): '1'}, taut {(0, 0, 0, 0, 0, 0): '1'}
from taut import binomial, discrete, flip, helper, mechanism, observe, uniform


@mechanism
def generated(x):
    a = [0, 0]
    n = x[0]
    b = a
    l = 0
    for k in a:
        l += 1
        if l > 4:
            break
        a[n:1] = [0 for u in reversed(b)]
    return b
