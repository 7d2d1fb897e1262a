# x = bits(2)
#: at x=(0, 0) plain Python has {0: '2/3', 1: '1/3'}, taut {0: '7/9', 1: '2/9'}
from taut import binomial, discrete, flip, helper, mechanism, observe, uniform


@mechanism
def generated(x):
    a = [0, 1]
    b = [v for v in a if binomial(1, "1/3")]
    f = 0
    any(((f := v) for v in b))
    return f
