import {
  Alert,
  Badge,
  Button,
  type CSSVariablesResolver,
  Drawer,
  type MantineColorsTuple,
  type MantineThemeOverride,
  Modal,
  createTheme,
} from '@mantine/core'
import type { T } from '../../texts/use-texts.ts'

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

const theme = createTheme({
  primaryColor: 'door',
  primaryShade: 8,
  colors: { door },
  autoContrast: true,
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans Arabic", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    /** The tint shows the kind; red on red is hard to read. */
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' } } }),
    /** Positioned without the animation, for people who prefer reduced motion. */
    Button: Button.extend({ styles: { loader: { transform: 'translate(-50%, -50%)' } } }),
    /** Shows its whole text, in the text colour. */
    Badge: Badge.extend({
      defaultProps: { tt: 'none', c: 'var(--mantine-color-text)', size: 'md' },
      styles: {
        root: {
          height: 'auto',
          minHeight: '1.25rem',
          maxWidth: '100%',
          flexShrink: 0,
          fontSize: '0.75rem',
          fontWeight: 600,
        },
        label: { overflow: 'visible', whiteSpace: 'normal', textWrap: 'balance', lineHeight: 1.35, paddingBlock: 2 },
      },
    }),
  },
})

const HEADED = { title: { fontWeight: 600 } }

/** What has a cross to close it, with the cross named. */
export function themeIn(t: T): MantineThemeOverride {
  const closeButtonProps = { 'aria-label': t('page_shell.close') }
  return {
    ...theme,
    components: {
      ...theme.components,
      Modal: Modal.extend({ defaultProps: { closeButtonProps }, styles: HEADED }),
      Drawer: Drawer.extend({ defaultProps: { closeButtonProps }, styles: HEADED }),
    },
  }
}

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
