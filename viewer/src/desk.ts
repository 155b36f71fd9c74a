// What controls act on, and what keys press: so that neither knows the application.
import type { Vector3 } from 'three';
import type { View } from './camera';
import type { ContactView } from './contacts';
import type { PressureView } from './pressure';
import type { Player } from './player';
import type { Plots } from './plots';
import type { Replay } from './replay';
import type { GeometryMode, World } from './world';

export interface Desk {
  readonly replay: Replay;
  readonly player: Player;
  readonly world: World;
  readonly contacts: ContactView;
  readonly pressure: PressureView;
  readonly view: View;
  readonly plots: Plots;
  redraw(): void;
  update(): void; // everything that depends on time
  scrub(time: number): void;
  step(frames: number): void;
  frameAll(direction?: Vector3): void;
  setGeometry(mode: GeometryMode): void;
  showRuns(): void; // after a change of which are shown
  showNames(shown: boolean): void;
  readonly selected: number; // body; -1: none
  select(body: number): void;
  follow(following: boolean): void;
  pullAlways(on: boolean): void; // bodies of a live view, without the control key
  toggleTheme(): void;
  savePicture(): void;
}

export interface Panel {
  nextMode(): void;
  flip(id: string): void; // a switch as if it had been clicked
  frameAll(direction?: Vector3): void;
  toggleLoop(): void;
  togglePlots(): void;
  nextRun(): void; // each run alone, then all
  hideSelected(): void;
  showAllBodies(): void;
  nextClip(): void;
  findSignal(): void;
}
