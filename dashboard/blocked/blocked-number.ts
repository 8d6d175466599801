import type { RouterOutputs } from '../api.ts'

export type BlockedNumber = RouterOutputs['blocked']['list']['rows'][number]
