/** The colours of bars in both themes. A status has the hue of its tone (see status.ts); a plain number has the first or the second. */
export const CHART_COLOURS = {
  first: { light: '#4048d6', dark: '#8d93ee' },
  second: { light: '#1098ad', dark: '#3bc9db' },
  success: { light: '#087f5b', dark: '#63e6be' },
  success_weak: { light: '#0ca678', dark: '#0ca678' },
  progress: { light: '#1c7ed6', dark: '#4dabf7' },
  warning: { light: '#d97706', dark: '#fcc419' },
  failure: { light: '#c92a2a', dark: '#ff6b6b' },
  neutral: { light: '#868e96', dark: '#828282' },
  neutral_strong: { light: '#495057', dark: '#c9c9c9' },
} as const

export type ChartColour = keyof typeof CHART_COLOURS

const variableOf = (name: string): string => `--chart-${name.replace('_', '-')}`

export const chartColour = (name: ChartColour): string => `var(${variableOf(name)})`

export const chartVariables = (theme: 'light' | 'dark'): Record<string, string> =>
  Object.fromEntries(Object.entries(CHART_COLOURS).map(([name, colour]) => [variableOf(name), colour[theme]]))
