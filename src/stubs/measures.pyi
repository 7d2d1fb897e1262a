from taut.questions.measures import (
    ChiSquared as ChiSquared,
)
from taut.questions.measures import (
    Divergence as Divergence,
)
from taut.questions.measures import (
    HockeyStick as HockeyStick,
)
from taut.questions.measures import (
    KullbackLeibler as KullbackLeibler,
)
from taut.questions.measures import (
    RenyiMoment as RenyiMoment,
)
from taut.questions.measures import (
    SquaredHellinger as SquaredHellinger,
)
from taut.questions.measures import (
    TotalVariation as TotalVariation,
)
