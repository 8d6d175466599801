import { useEffect } from 'react'

/**
 * Restores the focus when a button is disabled, a dialog step changes or a dialog closes: browsers would move it to the top.
 * Where the button that opened a dialog is gone, as in a list that is no longer empty, the content gets the focus.
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
        const next = openWindow() ?? (lastOutside?.isConnected ? lastOutside : document.querySelector('main'))
        next?.focus({ preventScroll: true }) // a dialog that is closing takes no focus: the change that removes it tries again
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
