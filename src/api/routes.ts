import { codRoutes } from '../cod/routes.ts'
import { otpRoutes } from '../otp/routes.ts'
import { verificationRoutes } from '../otp/verifications/routes.ts'
import { eventRoutes } from './event-routes.ts'
import type { Parts } from '../runtime/parts.ts'
import type { Route } from '../lib/http/route.ts'

/** All routes below `/api/v1`. */
export const apiRoutes = (parts: Parts): readonly Route[] => [
  ...otpRoutes(parts),
  ...verificationRoutes(parts),
  ...codRoutes(parts),
  ...eventRoutes(parts),
]
