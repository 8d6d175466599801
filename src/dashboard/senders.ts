import { router } from './trpc.ts'

export const senders = router({})
