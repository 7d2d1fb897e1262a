from taut.synthesis.symmetry import (
    AccuracySet as AccuracySet,
)
from taut.synthesis.symmetry import (
    Counterexample as Counterexample,
)
from taut.synthesis.symmetry import (
    InferenceSet as InferenceSet,
)
from taut.synthesis.symmetry import (
    Permutation as Permutation,
)
from taut.synthesis.symmetry import (
    PrivacySet as PrivacySet,
)
from taut.synthesis.symmetry import (
    SetCheck as SetCheck,
)
from taut.synthesis.symmetry import (
    SymmetryCheck as SymmetryCheck,
)
from taut.synthesis.symmetry import (
    SymmetryCost as SymmetryCost,
)
from taut.synthesis.symmetry import (
    SymmetryGroup as SymmetryGroup,
)
from taut.synthesis.symmetry import (
    rr_count_accuracy_set as rr_count_accuracy_set,
)
from taut.synthesis.symmetry import (
    rr_count_inference_set as rr_count_inference_set,
)
from taut.synthesis.symmetry import (
    rr_inference_set as rr_inference_set,
)
from taut.synthesis.symmetry import (
    rr_privacy_set as rr_privacy_set,
)
from taut.synthesis.symmetry import (
    rr_single_input_set as rr_single_input_set,
)
