import { type ApiDocument, describeApi } from '../src/api/docs/openapi.ts'
import { apiRoutes } from '../src/api/routes.ts'
import type { Parts } from '../src/runtime/parts.ts'

/** The OpenAPI document of no instance in particular. Describing routes uses none of the parts. */
export const apiDocument = (publicUrl = 'https://doorcode.example.com'): ApiDocument =>
  describeApi(apiRoutes({} as Parts), publicUrl)
