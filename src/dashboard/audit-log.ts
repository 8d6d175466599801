import { router } from './trpc.ts'

export const auditLog = router({})
