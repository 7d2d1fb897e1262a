"""Bayesian networks as Dice programs: the shapes of well-known networks with tables drawn from a seed.

The public networks of the same names have these nodes, arities and parents (``alarm``, ``insurance``, ``hailfinder``)
or about these numbers of nodes, arcs and parents (``water``, ``hepar2``, ``pigs``); their tables are not copied. A
program draws every node and returns the last one, as the benchmarks of Dice for a single marginal do.

    python benchmarks/networks.py alarm > alarm.dice                        # writes a program
    python benchmarks/networks.py alarm.bif --ask PRESS > alarm.dice        # that of a network which you have
    python benchmarks/run.py networks                                       # taut on all, and Dice if it is installed

Of a file in the Bayesian Interchange Format the program has the tables, number by number, and returns the node that is
asked for, or else the one without children that depends on most others.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

if __package__ is None:  # run as a script
    sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.bif import Node, leaf, read_bif

__all__ = ["NETWORKS", "main", "program", "program_of"]

Network = list[tuple[str, int, list[str]]]
"""Nodes with the number of their values and their parents, parents first."""

_ALARM = """HYPOVOLEMIA 2; LVFAILURE 2; STROKEVOLUME 3 HYPOVOLEMIA LVFAILURE; LVEDVOLUME 3 HYPOVOLEMIA LVFAILURE;
PCWP 3 LVEDVOLUME; CVP 3 LVEDVOLUME; HISTORY 2 LVFAILURE; ERRLOWOUTPUT 2; ERRCAUTER 2; INSUFFANESTH 2; ANAPHYLAXIS 2;
TPR 3 ANAPHYLAXIS; KINKEDTUBE 2; FIO2 2; PULMEMBOLUS 2; PAP 3 PULMEMBOLUS; INTUBATION 3;
SHUNT 2 INTUBATION PULMEMBOLUS; DISCONNECT 2; MINVOLSET 3; VENTMACH 4 MINVOLSET; VENTTUBE 4 DISCONNECT VENTMACH;
VENTLUNG 4 INTUBATION KINKEDTUBE VENTTUBE; VENTALV 4 INTUBATION VENTLUNG; ARTCO2 3 VENTALV; PVSAT 3 FIO2 VENTALV;
SAO2 3 PVSAT SHUNT; CATECHOL 2 ARTCO2 INSUFFANESTH SAO2 TPR; HR 3 CATECHOL; CO 3 HR STROKEVOLUME; BP 3 CO TPR;
HRSAT 3 ERRCAUTER HR; HREKG 3 ERRCAUTER HR; HRBP 3 ERRLOWOUTPUT HR; MINVOL 4 INTUBATION VENTLUNG;
EXPCO2 4 ARTCO2 VENTLUNG; PRESS 4 INTUBATION KINKEDTUBE VENTTUBE"""

_INSURANCE = """Age 3; Mileage 4; SocioEcon 4 Age; GoodStudent 2 Age SocioEcon; RiskAversion 4 Age SocioEcon;
OtherCar 2 SocioEcon; VehicleYear 2 SocioEcon RiskAversion; MakeModel 5 SocioEcon RiskAversion;
SeniorTrain 2 Age RiskAversion; HomeBase 4 SocioEcon RiskAversion; AntiTheft 2 SocioEcon RiskAversion;
RuggedAuto 3 VehicleYear MakeModel; Antilock 2 VehicleYear MakeModel; DrivingSkill 3 Age SeniorTrain;
CarValue 5 VehicleYear MakeModel Mileage; Airbag 2 VehicleYear MakeModel; DrivQuality 3 RiskAversion DrivingSkill;
Theft 2 CarValue HomeBase AntiTheft; Cushioning 4 RuggedAuto Airbag; DrivHist 3 RiskAversion DrivingSkill;
Accident 4 DrivQuality Mileage Antilock; ThisCarDam 4 RuggedAuto Accident; OtherCarCost 4 RuggedAuto Accident;
MedCost 4 Age Accident Cushioning; ILiCost 4 Accident; ThisCarCost 4 ThisCarDam Theft CarValue;
PropCost 4 OtherCarCost ThisCarCost"""

_HAILFINDER = """N07muVerMo 4; SubjVertMo 4; QGVertMotion 4; CombVerMo 4 N07muVerMo SubjVertMo QGVertMotion;
AreaMesoALS 4 CombVerMo; SatContMoist 4; RaoContMoist 4; CombMoisture 4 SatContMoist RaoContMoist;
AreaMoDryAir 4 AreaMesoALS CombMoisture; VISCloudCov 3; IRCloudCover 3; CombClouds 3 VISCloudCov IRCloudCover;
CldShadeOth 3 AreaMesoALS AreaMoDryAir CombClouds; AMInstabMt 3; InsInMt 3 CldShadeOth AMInstabMt; WndHodograph 4;
OutflowFrMt 3 InsInMt WndHodograph; MorningBound 3; Boundaries 3 WndHodograph OutflowFrMt MorningBound;
CldShadeConv 3 InsInMt WndHodograph; CompPlFcst 3 AreaMesoALS CldShadeOth Boundaries CldShadeConv;
CapChange 3 CompPlFcst; LoLevMoistAd 4; InsChange 3 CompPlFcst LoLevMoistAd; MountainFcst 3 InsInMt; Date 6;
Scenario 11 Date; ScenRelAMCIN 2 Scenario; MorningCIN 4; AMCINInScen 3 ScenRelAMCIN MorningCIN;
CapInScen 3 CapChange AMCINInScen; ScenRelAMIns 6 Scenario; LIfr12ZDENSd 4; AMDewptCalPl 3;
AMInsWliScen 3 ScenRelAMIns LIfr12ZDENSd AMDewptCalPl; InsSclInScen 3 InsChange AMInsWliScen; ScenRel34 5 Scenario;
LatestCIN 4; LLIW 4; CurPropConv 4 LatestCIN LLIW; ScnRelPlFcst 11 Scenario;
PlainsFcst 3 CapInScen InsSclInScen CurPropConv ScnRelPlFcst; N34StarFcst 3 ScenRel34 PlainsFcst;
R5Fcst 3 MountainFcst N34StarFcst; Dewpoints 7 Scenario; LowLLapse 4 Scenario; MeanRH 3 Scenario; MidLLapse 3 Scenario;
MvmtFeatures 4 Scenario; RHRatio 3 Scenario; SfcWndShfDis 7 Scenario; SynForcng 5 Scenario; TempDis 4 Scenario;
WindAloft 4 Scenario; WindFieldMt 2 Scenario; WindFieldPln 6 Scenario"""

_WATER = {
    "CNI": (3, "CNI"),
    "CKNI": (3, "CNI CKNI"),
    "CBODD": (4, "CNI CKNI CBODD CNOD CBODN"),
    "CKND": (3, "CKNI CKND"),
    "CNOD": (4, "CBODD CNOD CNON"),
    "CBODN": (4, "CBODD CBODN CNON"),
    "CKNN": (3, "CKND CKNN"),
    "CNON": (4, "CNOD CBODN CKNN CNON"),
}


def _listed(text: str) -> Network:
    words = [entry.split() for entry in text.split(";")]
    return [(name, int(arity), parents) for name, arity, *parents in words]


def _hailfinder() -> Network:
    """The node that is asked for stands last."""
    nodes = _listed(_HAILFINDER)
    return [node for node in nodes if node[0] != "R5Fcst"] + [node for node in nodes if node[0] == "R5Fcst"]


def _water() -> Network:
    """Four time slices, each node of the later three with its parents in the slice before."""
    nodes = [(f"{name}_0", arity, list[str]()) for name, (arity, _) in _WATER.items()]
    for slice_ in (1, 2, 3):
        for name, (arity, parents) in _WATER.items():
            if (name, slice_) != ("CBODD", 3):
                nodes.append((f"{name}_{slice_}", arity, [f"{parent}_{slice_ - 1}" for parent in parents.split()]))
    return [*nodes, ("CBODD_3", 4, [f"{parent}_2" for parent in _WATER["CBODD"][1].split()])]


def _hepar2() -> Network:
    """70 nodes, 123 arcs, at most 6 parents: causes, diseases, and symptoms of one to four diseases."""
    source = random.Random(70)
    nodes: Network = [(f"cause{number}", 2 + (number % 9 == 8), []) for number in range(13)]
    causes = [name for name, _, _ in nodes]
    diseases = [(f"disease{n}", 2 + (n % 4 == 3), source.sample(causes, [1, 2, 2, 3][n % 4])) for n in range(9)]
    names = [name for name, _, _ in diseases]
    nodes += diseases
    for number in range(48):
        count = [1, 1, 2, 1, 3, 2, 4, 2, 1, 6, 2, 2][number % 12]
        earlier = [name for name, _, _ in nodes if name.startswith("symptom")][-6:]
        parents = source.sample(names, count) if number % 5 or not earlier else [source.choice(earlier)]
        nodes.append((f"symptom{number}", [2, 4, 2, 3, 2, 4][number % 6], parents))
    return nodes


def _pigs() -> Network:
    """441 nodes of three values: founders, and 296 animals with two parents each."""
    source = random.Random(441)
    nodes: Network = [(f"p{number}", 3, []) for number in range(145)]
    for number in range(145, 441):
        oldest = max(0, number - 220)
        nodes.append((f"p{number}", 3, [f"p{parent}" for parent in sorted(source.sample(range(oldest, number), 2))]))
    return nodes


NETWORKS: dict[str, tuple[Network, float]] = {
    "alarm": (_listed(_ALARM), 0.05),
    "insurance": (_listed(_INSURANCE), 0.3),
    "hailfinder": (_hailfinder(), 0.2),
    "hepar2": (_hepar2(), 0.0),
    "water": (_water(), 0.7),
    "pigs": (_pigs(), 0.0),
}
"""Each network, and the share of its rows in which one value is certain."""


def program(name: str, seed: int = 1) -> str:
    """The network as a Dice program that returns its last node."""
    nodes, certain = NETWORKS[name]
    source = random.Random(f"{name} {seed}")
    arity = {node: values for node, values, _ in nodes}
    lines = []
    for node, values, parents in nodes:
        table = _mendel if name == "pigs" and parents else lambda _, size=values: _row(source, size, certain)
        cases = _cases(parents, arity, lambda chosen, row=table: [f"{weight:.6f}" for weight in row(chosen)])
        lines.append(f"let {node} = {cases} in")
    return "\n".join([*lines, nodes[-1][0], ""])


def program_of(nodes: Sequence[Node], asked: str) -> str:
    """A network that was read as a Dice program that returns one of its nodes."""
    names = _identifiers(node.name for node in nodes)
    arity = {names[node.name]: node.size for node in nodes}
    lines = []
    for node in nodes:
        cases = _cases([names[parent] for parent in node.parents], arity, node.rows.__getitem__)
        lines.append(f"let {names[node.name]} = {cases} in")
    return "\n".join([*lines, names[asked], ""])


def _identifiers(names: Iterable[str]) -> dict[str, str]:
    """Different names that a Dice program can have."""
    found: dict[str, str] = {}
    for name in names:
        plain = "v_" + re.sub(r"[^A-Za-z0-9_]", "_", name)
        while plain in found.values():
            plain += "_"
        found[name] = plain
    return found


def _cases(
    parents: Sequence[str],
    arity: Mapping[str, int],
    row: Callable[[tuple[int, ...]], list[str]],
    chosen: tuple[int, ...] = (),
) -> str:
    """One row for each combination of the parents' values, chosen by nested conditions."""
    if not parents:
        return f"(discrete({','.join(row(chosen))}))"
    first, *rest = parents
    width = max(1, (arity[first] - 1).bit_length())
    text = _cases(rest, arity, row, (*chosen, arity[first] - 1))
    for value in range(arity[first] - 2, -1, -1):
        case = _cases(rest, arity, row, (*chosen, value))
        text = f"(if (({first} == int({width}, {value}))) then {case} else {text})"
    return text


def _row(source: random.Random, size: int, certain: float) -> list[float]:
    if source.random() < certain:
        place = source.randrange(size)
        return [float(value == place) for value in range(size)]
    weights = [source.randint(1, 100) for _ in range(size)]
    return [weight / sum(weights) for weight in weights]


def _mendel(parents: tuple[int, int]) -> list[float]:
    """The distribution of copies of a gene in a child, given those of its parents."""
    a, b = (parent / 2 for parent in parents)
    return [(1 - a) * (1 - b), a * (1 - b) + b * (1 - a), a * b]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Write a Bayesian network as a Dice program.")
    parser.add_argument("network", help=f"{', '.join(NETWORKS)}, or a file .bif")
    parser.add_argument("--ask", metavar="NODE", help="the node of the file that the program returns")
    asked = parser.parse_args(arguments)
    if asked.network in NETWORKS and asked.ask is None:
        print(program(asked.network), end="")
        return
    try:
        nodes = read_bif(Path(asked.network).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        parser.error(str(problem))
    if asked.ask is not None and asked.ask not in {node.name for node in nodes}:
        parser.error(f"there is no node '{asked.ask}' in {asked.network}.")
    print(program_of(nodes, asked.ask or leaf(nodes)), end="")


if __name__ == "__main__":
    main()
