// The box that finds signals by their names and plots them.
import { byId } from './dom';
import type { Plots } from './plots';

const shownMatches = 14;

export class SignalSearch {
  private readonly box = byId<HTMLInputElement>('signal');
  private readonly list = byId<HTMLUListElement>('signal-matches');
  private at = 0; // the match that Enter takes

  constructor(
    private readonly plots: Plots,
    private readonly showPlots: () => void,
  ) {
    this.box.addEventListener('focus', () => this.open());
    this.box.addEventListener('input', () => this.open());
    this.box.addEventListener('blur', () => (this.list.hidden = true));
    this.box.addEventListener('keydown', (event) => this.press(event));
  }

  focus(): void {
    this.box.focus();
  }

  private open(): void {
    const found = this.plots.signals.search(this.box.value.trim(), shownMatches);
    const items = found.map(({ name, unit }, index) => {
      const item = document.createElement('li');
      const small = document.createElement('span');
      item.role = 'option';
      small.textContent = unit;
      item.append(name, small);
      // before the box loses the focus
      item.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        this.at = index;
        this.take();
      });
      item.dataset.name = name;
      return item;
    });
    if (items.length === 0) {
      const none = document.createElement('li');
      none.textContent = 'no signal has this name';
      items.push(none);
    }
    this.list.replaceChildren(...items);
    this.list.hidden = false;
    this.mark(0);
  }

  private mark(at: number): void {
    const { children } = this.list;
    this.at = Math.min(children.length - 1, Math.max(0, at));
    [...children].forEach((item, index) =>
      item.setAttribute('aria-selected', String(index === this.at)),
    );
  }

  private take(): void {
    const { name } = (this.list.children[this.at] as HTMLElement).dataset;
    if (!name) return;
    this.showPlots();
    this.plots.add(name);
    this.box.value = '';
    this.box.blur();
  }

  private press(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'ArrowDown') this.mark(this.at + 1);
    else if (event.key === 'ArrowUp') this.mark(this.at - 1);
    else if (event.key === 'Enter') this.take();
    else if (event.key === 'Escape') this.box.blur();
    else return;
    event.preventDefault();
  }
}
