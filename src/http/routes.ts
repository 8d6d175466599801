import { codRoutes } from '../cod/routes.ts'
import { otpRoutes } from '../otp/routes.ts'
import type { Parts } from '../parts.ts'
import type { Route } from './route.ts'

/** Every route of the API, below `/api/v1`. */
export const apiRoutes = (parts: Parts): readonly Route[] => [...otpRoutes(parts), ...codRoutes(parts)]
