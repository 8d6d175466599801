import { router } from './trpc.ts'

export const workspaces = router({})
