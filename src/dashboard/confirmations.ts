import { router } from './trpc.ts'

export const confirmations = router({})
