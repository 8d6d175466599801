import { useMediaQuery } from '@mantine/hooks'

/** The theme's `sm`: a narrower screen is a phone's. */
const PHONE = '(max-width: 47.99em)'
/** Below, whole sections beside a list leave it too little. */
const TABLET = '(max-width: 62.49em)'

const NOW = { getInitialValueInEffect: false } as const

export type Screen = 'phone' | 'tablet' | 'desktop'

/** How much room the window has; CSS has the same widths. */
export function useScreen(): Screen {
  const isPhone = useMediaQuery(PHONE, false, NOW)
  const isTablet = useMediaQuery(TABLET, false, NOW)
  return isPhone ? 'phone' : isTablet ? 'tablet' : 'desktop'
}
