import { router } from './trpc.ts'

export const blocked = router({})
