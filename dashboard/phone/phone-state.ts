import type { RouterOutputs } from '../api.ts'

export type PhoneState = RouterOutputs['phone']['state']
