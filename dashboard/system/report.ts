import type { RouterOutputs } from '../api.ts'

export type Report = RouterOutputs['system']['examine']
