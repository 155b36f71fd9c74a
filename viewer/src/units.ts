// Numbers with units, as people write them.

export interface Unit {
  factor: number; // shown = factor * SI
  text: string;
}

const ladders: Record<string, Unit[]> = {
  m: [
    { factor: 1, text: 'm' },
    { factor: 1e3, text: 'mm' },
    { factor: 1e6, text: 'µm' },
    { factor: 1e9, text: 'nm' },
  ],
  N: [
    { factor: 1e-6, text: 'MN' },
    { factor: 1e-3, text: 'kN' },
    { factor: 1, text: 'N' },
    { factor: 1e3, text: 'mN' },
    { factor: 1e6, text: 'µN' },
    { factor: 1e9, text: 'nN' },
  ],
  'm/s': [
    { factor: 1, text: 'm/s' },
    { factor: 1e3, text: 'mm/s' },
    { factor: 1e6, text: 'µm/s' },
    { factor: 1e9, text: 'nm/s' },
  ],
  Pa: [
    { factor: 1e-9, text: 'GPa' },
    { factor: 1e-6, text: 'MPa' },
    { factor: 1e-3, text: 'kPa' },
    { factor: 1, text: 'Pa' },
  ],
  kg: [
    { factor: 1, text: 'kg' },
    { factor: 1e3, text: 'g' },
    { factor: 1e6, text: 'mg' },
  ],
  J: [
    { factor: 1e-6, text: 'MJ' },
    { factor: 1e-3, text: 'kJ' },
    { factor: 1, text: 'J' },
    { factor: 1e3, text: 'mJ' },
    { factor: 1e6, text: 'µJ' },
    { factor: 1e9, text: 'nJ' },
    { factor: 1e12, text: 'pJ' },
  ],
  s: [
    { factor: 1, text: 's' },
    { factor: 1e3, text: 'ms' },
    { factor: 1e6, text: 'µs' },
  ],
};

// The unit in which `largest` (SI) is at least `threshold`.
export function unitFor(base: string, largest: number, threshold = 0.1): Unit {
  const ladder = ladders[base] ?? [{ factor: 1, text: base }];
  for (const unit of ladder) if (Math.abs(largest) * unit.factor >= threshold) return unit;
  return largest === 0
    ? (ladder.find((unit) => unit.factor === 1) ?? ladder[0])
    : ladder[ladder.length - 1];
}

// Three significant digits without exponents where that is readable.
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace('e+', 'e');
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(size >= 1 ? 2 : 3);
}

export function quantity(value: number, base: string): string {
  const unit = unitFor(base, value, 1);
  const text = short(value * unit.factor);
  return `${text.includes('.') ? text.replace(/\.?0+$/, '') : text} ${unit.text}`;
}

// With a number of digits after the point; what rounds to nothing is 0, not -0.
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

// The largest of 1, 2, 5 times a power of ten that is not above `value`.
export function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}
