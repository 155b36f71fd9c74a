"""PID controllers and electrical motors in motion, against MuJoCo: sliders, each under a
motor of random parameters, pushed by constant inputs. Both methods are of first order in the step,
so that their distance falls with it; where each slider is, is compared at three times.

Needs MuJoCo, in this Python or in the one that LIMPET_PYTHON names: without it the test is skipped.
"""

import csv
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from with_mujoco import mujoco  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = os.environ.get("LIMPET_COMMAND", str(ROOT / "build/limpet"))
SLIDERS = 8  # `limpet sweep` tracks no more
WORLDS = 6
TIMES = (0.05, 0.2, 0.5)
STEPS = (4e-4, 1e-4)
# of the longest way: the distance at 0.1 ms, and how much smaller than at 0.4 ms it is at least,
# where it is not small already
TOLERANCE, GAIN, SMALL = 4e-3, 1.5, 1e-4


def motor(name, generator):
    """A random actuator on the slider of this name, mass 1 kg, and values of its inputs."""

    def log(low, high):
        return math.exp(generator.uniform(math.log(low), math.log(high)))

    if generator.random() < 0.4:
        inputs = generator.choice(["pos", "pos vel", "pos ff", "vel ff", "pos vel ff"])
        kp = log(10, 1000)
        text = f'<pid name="{name}" joint="{name}" input="{inputs}" kp="{kp}" kv="{log(1, 40)}"'
        if "pos" in inputs:
            text += f' ki="{log(1, 1000)}" imax="{log(0.01, 1)}" slewmax="{log(0.1, 10)}"'
    else:
        inputs = generator.choice(["voltage", "pos", "pos vel voltage", "vel ff", "none"])
        K, R = log(0.1, 5), log(0.2, 5)
        text = f'<dcmotor name="{name}" joint="{name}" input="{inputs}" resistance="{R}"'
        text += f' motorconst="{K}" inductance="0 {log(1e-3, 0.1)}" damping="{log(0.01, 1)}"'
        text += f' thermal="{log(0.1, 2)} {log(0.1, 5)} 0 {log(1e-3, 1e-2)} 20 25"'
        text += f' cogging="{log(0.01, 1)} {generator.randint(1, 30)} {generator.uniform(0, 6)}"'
        friction = log(0.01, 1)
        text += f' lugre="{log(50, 5000)} {log(0.5, 50)}'
        text += f' {friction} {1.5 * friction} {log(0.01, 1)}"'
        text += f' saturation="{log(1, 100)} 0 {log(10, 1000)}"'
        if inputs not in ("voltage", "none"):
            integral = log(1, 1000) if "pos" in inputs else 0
            text += f' controller="{log(10, 1000)} {integral} {log(1, 40)}'
            text += f' {log(0.1, 10)} 1 {log(5, 50)}"'
    words = [] if inputs == "none" else inputs.split()
    scale = {"pos": 1.0, "vel": 2.0, "ff": 5.0, "voltage": 10.0}
    return text + "/>", [scale[word] * generator.uniform(-1, 1) for word in words]


def world(generator):
    names = [f"s{i}" for i in range(SLIDERS)]
    motors = {name: motor(name, generator) for name in names}
    bodies = "".join(
        f'<body name="{name}"><joint name="{name}" type="slide" axis="1 0 0"/>'
        '<geom size=".1" mass="1" contype="0" conaffinity="0"/></body>'
        for name in names
    )
    actuators = "".join(text for text, _ in motors.values())
    inputs = " ".join(repr(value) for _, values in motors.values() for value in values)
    xml = (
        '<mujoco><option gravity="0 0 0" integrator="implicitfast"/>'
        f"<worldbody>{bodies}</worldbody><actuator>{actuators}</actuator>"
        f'<keyframe><key name="inputs" ctrl="{inputs}"/></keyframe></mujoco>'
    )
    return xml, motors


def ours(path, motors, time, step):
    command = [COMMAND, "sweep", path, "--time", time, "--dt", step, "--keyframe", "inputs"]
    command += ["--param", "joint:s0.damping=0"]
    table = path.with_suffix(f".{time}.{step}.csv")
    command += ["--out", table]
    for name in motors:
        command += ["--track", name]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    with open(table, encoding="utf-8") as file:
        row = list(csv.DictReader(file))[0]
    return [float(row[f"{name}.x"]) for name in motors]


def theirs(xml, time, step):
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.timestep = step
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(round(time / step)):
        mujoco.mj_step(model, data)
    return list(data.qpos)


def main():
    generator = random.Random(16)
    failures, worst = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(WORLDS):
            xml, motors = world(generator)
            path = Path(folder) / f"motors{number}.xml"
            path.write_text(xml)
            for time in TIMES:
                apart = []
                for step in STEPS:
                    pair = list(
                        zip(ours(path, motors, time, step), theirs(xml, time, step))
                    )
                    way = max(abs(b) for _, b in pair)
                    apart.append([abs(a - b) / way for a, b in pair])
                for i, (coarse, fine) in enumerate(zip(*apart)):
                    worst = max(worst, fine)
                    if fine > TOLERANCE or (fine > SMALL and fine * GAIN > coarse):
                        failures += 1
                        print(f"world {number}, {time} s, s{i}: {coarse:.1e}, then {fine:.1e}")
                        print(f"   {motors[f's{i}']}")
    count = WORLDS * SLIDERS * len(TIMES)
    print(f"{count} positions of motors: worst {worst:.1e} of the way apart, {failures} differ")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
