import { router } from './trpc.ts'

export const endpoints = router({})
