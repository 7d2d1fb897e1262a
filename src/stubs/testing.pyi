from taut.verification.testing import (
    assert_accurate as assert_accurate,
)
from taut.verification.testing import (
    assert_private as assert_private,
)
from taut.verification.testing import (
    databases as databases,
)
from taut.verification.testing import (
    neighbor_pairs as neighbor_pairs,
)
