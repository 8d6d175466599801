/** `https://shop.example/hooks` as `shop.example/hooks`. */
export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')
