// Sliders for the controls of a live simulation.
import { byId } from './dom';
import type { Actuator, LiveSource } from './live';
import { short } from './units';

const patience = 1000; // [ms]  for which a slider keeps what was asked for and has not come yet
const openRange = 1; // of a control without limits, to both sides, and at least twice its value

export class ActuatorPanel {
  private readonly sliders: HTMLInputElement[] = [];
  private readonly readings: HTMLElement[] = [];
  private readonly asked: ({ value: number; until: number } | null)[] = [];

  constructor(private readonly source: LiveSource) {
    source.actuators.forEach((actuator, index) => this.addRow(actuator, index));
  }

  // Whether a slider was moved, and the frame that shows it is still on its way.
  private waits(index: number, value: number): boolean {
    const asked = this.asked[index];
    if (asked && asked.value !== value && performance.now() < asked.until) return true;
    this.asked[index] = null;
    return false;
  }

  // The controls as the simulation has them; a slider that is held or was just moved is left alone.
  show(): void {
    byId('actuators').hidden = this.sliders.length === 0 || !this.source.state.running;
    this.source.state.controls.forEach((value, index) => {
      const { unit } = this.source.actuators[index];
      this.readings[index].textContent = unit === '1' ? short(value) : `${short(value)} ${unit}`;
      const slider = this.sliders[index];
      if (this.waits(index, value)) return;
      if (slider !== document.activeElement || !slider.matches(':active'))
        slider.value = String(value);
    });
  }

  private addRow(actuator: Actuator, index: number): void {
    const value = this.source.state.controls[index];
    const reach = Math.max(openRange, 2 * Math.abs(value));
    const [low, high] = [actuator.low ?? -reach, actuator.high ?? reach];
    const [row, name, reading] = ['label', 'span', 'output'].map((tag) =>
      document.createElement(tag),
    );
    const slider = document.createElement('input');
    name.textContent = actuator.name;
    Object.assign(slider, { type: 'range', min: String(low), max: String(high) });
    slider.step = String((high - low) / 1000);
    slider.value = String(value);
    slider.ariaLabel = `control of ${actuator.name}`;
    slider.addEventListener('input', () => {
      const asked = Number(slider.value);
      this.asked[index] = { value: asked, until: performance.now() + patience };
      this.source.send({ do: 'control', actuator: index, value: asked });
    });
    row.className = 'row';
    row.append(name, slider, reading);
    this.sliders.push(slider);
    this.readings.push(reading);
    byId('actuator-rows').append(row);
  }
}
