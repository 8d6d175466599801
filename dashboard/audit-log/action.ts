import { auditWords } from './words.ts'

type Actions = (typeof auditWords)['en']['actions']

/** What was done, in words; the words of a command are those that were typed. */
export const actionIn = (action: string, actions: Actions): string =>
  Object.hasOwn(actions, action) ? actions[action as keyof Actions] : action

export const hasWords = (action: string): boolean => Object.hasOwn(auditWords.en.actions, action)
