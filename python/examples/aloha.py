"""ALOHA picks up a cube, lifts it and shakes it: `make run-python`."""

from pathlib import Path

import limpet

root = Path(__file__).resolve().parents[2]
folder = next(root.glob("cache/gym-aloha-*/gym_aloha/assets"), None)
if folder is None:
    raise SystemExit("the robot is not here; python3 tools/run_aloha.py --fetch brings it")

model = limpet.load(folder / "bimanual_viperx_transfer_cube.xml")
data = model.data(keyframe=0)
controls = limpet.read_controls(model, root / "scenes/aloha_lift/controls.csv")
log = limpet.simulate(model, 11, data=data, controls=controls, interval=0.02)
print(log)
print(f"the cube is {1e3 * data.body('box').position[2]:.1f} mm above the world's origin")
(root / "out").mkdir(exist_ok=True)
log.replay(root / "out/aloha-python.html")
print("open out/aloha-python.html in a browser")
