# x = ints(2, 0, 2)
#: plain Python raises NameError("name 'TABLE' is not defined"), taut says {(0, 0): '{(): Fraction(1, 1)}', (0, 1): '{(): Fraction(1, 1)}', (0, 2): '{(): Fraction(1, 1)}', (1, 0): '{(): Fraction(1, 1)}', (1, 1): '{(): Fraction(1, 1)}', (1, 2): '{(): Fraction(1, 1)}', (2, 0): '{(): Fraction(1, 1)}', (2, 1): '{(): Fraction(1, 1)}', (2, 2): '{(): Fraction(1, 1)}'}
from taut import binomial, discrete, flip, helper, mechanism, observe, uniform

@helper
def first(items, default=0):
    for item in items:
        return 0

@mechanism
def generated(x):

    def i():
        yield 0
        TABLE
    j = i()
    a = first(j, 0)
    return list(j)
