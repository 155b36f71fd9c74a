// Colours of the scene, dark and light; those of the page are in style.css.
export const themes = {
  dark: {
    ground: { ground: '#3d4856', line: '#728299' },
    contacts: { force: '#ffb224', normal: '#4da3ff', friction: '#ff6b6b', point: '#ffe2a8' },
    room: 0.7,
  },
  light: {
    ground: { ground: '#d3dae2', line: '#8796a8' },
    contacts: { force: '#e8590c', normal: '#1c6fe0', friction: '#d6293e', point: '#7a2e06' },
    room: 0.45,
  },
};

export type Theme = keyof typeof themes;
