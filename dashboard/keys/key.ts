import type { RouterOutputs } from '../api.ts'

export type Key = RouterOutputs['keys']['list'][number]
