import { router } from './trpc.ts'

export const phone = router({})
