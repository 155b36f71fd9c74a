// Colours that the style sheet holds, so that scene and plots agree and follow the theme.
export function cssColour(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}
