/** Digits as the rest of the page has them (see time.tsx). */
export const numberFormat = (language: string, options?: Intl.NumberFormatOptions): Intl.NumberFormat =>
  new Intl.NumberFormat(`${language}-u-nu-latn`, options)
