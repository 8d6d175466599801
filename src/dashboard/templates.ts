import { router } from './trpc.ts'

export const templates = router({})
