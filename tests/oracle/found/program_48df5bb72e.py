# x = bits(2)
#: at x=(0, 0) plain Python has {((0, 0), (1, 0)): '1/9', ((0, 0),): '4/9', (): '4/9'}, taut {((0, 0), (1, 0)): '5/9', (): '4/9'}
from taut import binomial, discrete, flip, helper, mechanism, observe, uniform


@mechanism
def generated(x):
    a = [0, 0]
    a = [0 for v in a if flip("1/3")]
    d = dict(enumerate(reversed(a)))
    return list(d.items())
