import { type CSSVariablesResolver, type MantineColorsTuple, createTheme } from '@mantine/core'

/** The last two are dark enough for white text at 4.5:1. */
const door: MantineColorsTuple = [
  '#e7f8f2',
  '#d2ede3',
  '#a5dcc8',
  '#75c9ab',
  '#4eb993',
  '#35af84',
  '#23a67a',
  '#0f8f67',
  '#0b7a5e',
  '#04644b',
]

export const theme = createTheme({
  primaryColor: 'door',
  primaryShade: 8,
  colors: { door },
  autoContrast: true,
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans Arabic", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  defaultRadius: 'md',
  cursorType: 'pointer',
})

/** Mantine's own quiet colours stay below the contrast of 4.5:1 that small text needs. */
export const readableColours: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-error': colors.red[4],
  },
})
