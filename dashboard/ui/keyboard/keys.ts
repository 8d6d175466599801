/** Single keys that work wherever no text is typed. `z`: while a toast offers to undo. */
export const KEYS = ['j', 'k', 'z', '?'] as const
export type Key = (typeof KEYS)[number]

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey'>

/** By the letter, or on a keyboard with other letters, such as Arabic, by the place of the Latin one. */
export function keyOf({ key, code, ctrlKey, metaKey, altKey }: Pressed): Key | undefined {
  if (ctrlKey || metaKey || altKey) return undefined
  if (key === '?' || key === '؟') return '?'
  const isLatin = /^[a-z]$/i.test(key)
  const letter = isLatin ? key.toLowerCase() : code.replace(/^Key/, '').toLowerCase()
  return KEYS.find((each) => each === letter)
}

/** Where keys are text, or belong to what is open. */
const OWN_KEYS = 'input, textarea, select, [contenteditable=true], [role=dialog], [role=menu], dialog[open]'

export const belongsToPage = (target: EventTarget | null): boolean =>
  !(target instanceof Element && target.closest(OWN_KEYS)) && document.querySelector('[role=dialog]') === null
