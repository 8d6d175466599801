import { type ComponentType, lazy } from 'react'

/**
 * A part of a page that loads when it is first shown. If it cannot load, the page stays without it: browsers try the same script
 * again only after a reload, which main.tsx asks for.
 */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy<ComponentType<Props>>(() =>
    load().then(
      (Part) => ({ default: Part }),
      () => ({ default: () => null }),
    ),
  )
