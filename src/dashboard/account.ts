import { router } from './trpc.ts'

export const account = router({})
