import { router } from './trpc.ts'

export const messages = router({})
