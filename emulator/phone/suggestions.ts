/** Numbers whose last four digits decide what their owner does, or what becomes of a message to them. */
export type Suggestion = { name: string; ending: string }

/** A test compares them with the twin's own tables. */
export const CUSTOMERS = [
  { name: 'confirms', ending: '0701' },
  { name: 'cancels', ending: '0702' },
  { name: 'reschedules', ending: '0703' },
  { name: 'reschedules_in_words', ending: '0704' },
  { name: 'stops_halfway', ending: '0705' },
  { name: 'never_answers', ending: '0706' },
  { name: 'confirms_then_cancels', ending: '0707' },
  { name: 'answers_twice', ending: '0708' },
  { name: 'refuses', ending: '0709' },
  { name: 'refuses_in_words', ending: '0710' },
  { name: 'denies', ending: '0711' },
  { name: 'hides_the_number', ending: '0712' },
] as const satisfies readonly Suggestion[]

export const FATES = [
  { name: 'not_on_whatsapp', ending: '1026' },
  { name: 'held_back', ending: '1049' },
  { name: 'pair_limit', ending: '1056' },
  { name: 'throughput_limit', ending: '0429' },
  { name: 'provider_fault', ending: '0500' },
  { name: 'provider_page', ending: '0502' },
  { name: 'slow', ending: '0408' },
  { name: 'dropped', ending: '0440' },
  { name: 'dropped_but_taken', ending: '0441' },
  { name: 'never_delivered', ending: '0600' },
  { name: 'never_read', ending: '0601' },
  { name: 'delivered_skipped', ending: '0602' },
  { name: 'disordered', ending: '0603' },
  { name: 'fails_later', ending: '0604' },
  { name: 'username', ending: '0605' },
] as const satisfies readonly Suggestion[]

export type CustomerName = (typeof CUSTOMERS)[number]['name']
export type FateName = (typeof FATES)[number]['name']

/** A Spanish mobile number with the ending. */
export const numberEnding = (ending: string): string => `+3460011${ending}`
