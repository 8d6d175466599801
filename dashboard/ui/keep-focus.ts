import { useEffect } from 'react'

/**
 * The keyboard stays where it was. A button that works is disabled meanwhile, what a window shows next takes the place of
 * what had the focus, and a window goes: browsers then forget where the keyboard was, and it begins anew at the top.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: HTMLElement | undefined
    let lastOutside: HTMLElement | undefined
    const remember = ({ target }: FocusEvent): void => {
      last = target instanceof HTMLElement ? target : undefined
      if (last && !last.closest(WINDOW)) lastOutside = last
    }
    const observer = new MutationObserver((changes) => {
      if (!last || document.activeElement !== document.body) return
      if (!last.isConnected) {
        last = undefined
        const next = openWindow() ?? lastOutside
        next?.focus({ preventScroll: true })
      } else if (changes.some(({ target, type }) => type === 'attributes' && target === last)) last.focus()
    })
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] })
    document.addEventListener('focusin', remember)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', remember)
    }
  }, [])
}

const WINDOW = '[role="dialog"]'

const openWindow = (): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>(WINDOW)].findLast((each) => each.checkVisibility())
