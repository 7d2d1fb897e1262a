# x = bits(2)
#: at x=(0, 0) plain Python has {(0, 0): '1'}, taut {(0, 0): '3/4', (0, ()): '1/4'}
from taut import binomial, discrete, flip, helper, mechanism, observe, uniform

@mechanism
def generated(x):
    a = [0, 0]
    n = flip('1/4')

    def b(d, more=0):
        a[n] = []
        return 0
    i = sorted(a, key=b)
    return i
