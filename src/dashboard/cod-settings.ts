import { router } from './trpc.ts'

export const codSettings = router({})
