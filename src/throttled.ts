/**
 * The first call at once, and what comes in the time after it together at its end. On its own, since the pages in the
 * browser use it as well.
 */
export function throttled(act: () => void, everyMs: number): { call: () => void; end: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let again = false
  const rest = (): void => {
    timer = undefined
    if (!again) return
    again = false
    call()
  }
  const call = (): void => {
    if (timer !== undefined) again = true
    else {
      timer = setTimeout(rest, everyMs)
      act()
    }
  }
  return {
    call,
    end: () => {
      clearTimeout(timer)
      timer = undefined
      again = false
    },
  }
}
