# x = ints(2, 0, 2)
#: TypeError: '<=' not supported between instances of 'int' and 'NoneType'
from taut import binomial, discrete, flip, helper, mechanism, observe, uniform

@mechanism
def generated(x):
    a = [0]
    if x[0]:
        a.remove(sum)
