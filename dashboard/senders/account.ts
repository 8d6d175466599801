import type { RouterOutputs } from '../api.ts'

export type Account = RouterOutputs['senders']['accounts'][number]

/** WhatsApp's own Graph URL. An account of an emulator has another. */
export const GRAPH_URL = 'https://graph.facebook.com'
