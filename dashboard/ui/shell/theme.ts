import {
  Alert,
  Badge,
  Button,
  type CSSVariablesResolver,
  DEFAULT_THEME,
  InputWrapper,
  type MantineColorsTuple,
  type MantineThemeOverride,
  createTheme,
  rem,
} from '@mantine/core'
import type { T } from '../../texts/use-texts.ts'
import { type Tone, colourVariables } from '../state/status.ts'

/** Marks actions and selected items; no status has this color. The last two are dark enough for white text at 4.5:1. */
const accent: MantineColorsTuple = [
  '#eef0ff',
  '#dcdffc',
  '#b6baf5',
  '#8d93ee',
  '#6a71e8',
  '#545ce5',
  '#4f57e5',
  '#4850e4',
  '#4048d6',
  '#323ab6',
]

const { teal, blue, orange, red, gray } = DEFAULT_THEME.colors

const tones = { success: teal, progress: blue, warning: orange, failure: red, neutral: gray } satisfies Record<
  Tone,
  MantineColorsTuple
>

/** Mantine's greys for the dark, in the hue of the accent: the page is the seventh, and what stands on it is lighter. */
const dark: MantineColorsTuple = [
  '#d3d6dd',
  '#b3b8c2',
  '#868c97',
  '#6b717d',
  '#3b404a',
  '#2f343d',
  '#262a32',
  '#14161a',
  '#101215',
  '#0b0c0f',
]

/** The ground of cards, menus and dialogs in the dark. */
export const RAISED = '#1c1f25'

const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: 8,
  colors: { accent, dark, ...tones },
  autoContrast: true,
  /** Roboto and Arial are as wide as Vazirmatn: no line moves when it has loaded. */
  fontFamily: '"Vazirmatn Variable", Roboto, Arial, "Noto Sans Arabic", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  /** Four sizes: of tables and labels, of text, of sections and of the page's title. */
  fontSizes: { xs: rem(13), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(22) },
  lineHeights: { xs: '1.45', sm: '1.45', md: '1.5', lg: '1.4', xl: '1.3' },
  headings: {
    fontWeight: '600',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: rem(22), lineHeight: '1.3' },
      h2: { fontSize: rem(16), lineHeight: '1.4' },
      h3: { fontSize: rem(16), lineHeight: '1.4' },
      h4: { fontSize: rem(16), lineHeight: '1.4' },
      h5: { fontSize: rem(14), lineHeight: '1.5' },
      h6: { fontSize: rem(14), lineHeight: '1.5' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    /** The tint shows the kind; red on red is hard to read. */
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' } } }),
    /** Positioned without the animation, for people who prefer reduced motion. */
    Button: Button.extend({ styles: { loader: { transform: 'translate(-50%, -50%)' } } }),
    /** A red mark means failure here. Optional fields say that they are. */
    InputWrapper: InputWrapper.extend({ defaultProps: { withAsterisk: false } }),
    /** Badges show their full text, in the text colour. */
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
  // Not with their own `extend`, which would load them with the first page.
  const headed = { defaultProps: { closeButtonProps: { 'aria-label': t('page_shell.close') } }, styles: HEADED }
  return {
    ...theme,
    components: {
      ...theme.components,
      Modal: headed,
      Drawer: headed,
    },
  }
}

/** Mantine's own quiet colours stay below the contrast of 4.5:1 that small text needs. */
export const readableColours: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    // Lighter than what was typed or is said in grey, and still readable.
    '--mantine-color-placeholder': '#6c757d',
    '--mantine-color-error': colors.red[9],
    '--raised': 'var(--mantine-color-white)',
    ...colourVariables('light'),
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': '#8b919d',
    // Mantine takes the lightest shade for the text of quiet buttons.
    '--mantine-color-accent-light-color': accent[3],
    '--mantine-color-red-light-color': colors.red[4],
    '--mantine-color-error': colors.red[4],
    '--mantine-color-anchor': accent[3],
    '--mantine-color-neutral-light': colors.dark[5],
    '--raised': RAISED,
    ...colourVariables('dark'),
  },
})
