import { router } from './trpc.ts'

export const charts = router({})
