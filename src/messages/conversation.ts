/** The two conversations that a confirmation may have with its customer (docs/cod.md). */
export type Check = 'confirmation' | 'refusal'

/** What a message of a conversation is for. */
export type Purpose =
  | 'template'
  | 'reminder'
  | 'day_question'
  | 'time_question'
  | 'reasons_question'
  | 'note_prompt'
  | 'closing'

/** Which conversation a message belongs to. */
export type Conversation = { confirmationId: string; check: Check; purpose: Purpose }
