from taut.synthesis.users import (
    AccuracySet as AccuracySet,
)
from taut.synthesis.users import (
    Counterexample as Counterexample,
)
from taut.synthesis.users import (
    InferenceSet as InferenceSet,
)
from taut.synthesis.users import (
    Permutation as Permutation,
)
from taut.synthesis.users import (
    PrivacySet as PrivacySet,
)
from taut.synthesis.users import (
    SetCheck as SetCheck,
)
from taut.synthesis.users import (
    SymmetryCheck as SymmetryCheck,
)
from taut.synthesis.users import (
    SymmetryCost as SymmetryCost,
)
from taut.synthesis.users import (
    SymmetryGroup as SymmetryGroup,
)
from taut.synthesis.users import (
    rr_count_accuracy_set as rr_count_accuracy_set,
)
from taut.synthesis.users import (
    rr_count_inference_set as rr_count_inference_set,
)
from taut.synthesis.users import (
    rr_inference_set as rr_inference_set,
)
from taut.synthesis.users import (
    rr_privacy_set as rr_privacy_set,
)
from taut.synthesis.users import (
    rr_single_input_set as rr_single_input_set,
)
