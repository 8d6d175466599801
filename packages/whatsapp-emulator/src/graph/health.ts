import { findError } from '../errors.ts'
import type { Account, PhoneNumber } from '../accounts/accounts.ts'
import type { Template } from '../accounts/templates.ts'

/** A reason why an object cannot send. */
type Obstacle = { code: number; solution: string }

/** `health_status` of a number, template or account: the worst of what affects a send. */
export function healthOf(account: Account, { number, template }: { number?: PhoneNumber; template?: Template }) {
  const { blockedBy: code } = account
  const obstacle = code && { code, solution: 'See the account in the business manager.' }
  const entities = [
    ...(number === undefined ? [] : [healthOfNumber(number)]),
    ...(template === undefined ? [] : [healthOfTemplate(template)]),
    entityOf('WABA', account.id, obstacle),
    entityOf('BUSINESS', account.businessId),
    entityOf('APP', account.appId),
  ]
  const all = entities.map((entity) => entity.can_send_message)
  return { can_send_message: ['BLOCKED', 'LIMITED'].find((ability) => all.includes(ability)) ?? 'AVAILABLE', entities }
}

function healthOfNumber({ id, status }: PhoneNumber) {
  const obstacle = { code: 133010, solution: 'Register the number on the Cloud API.' }
  if (status !== 'FLAGGED') return entityOf('PHONE_NUMBER', id, status === 'CONNECTED' ? undefined : obstacle)
  const flagged = { can_send_message: 'LIMITED', additional_info: ['The quality of this number is low.'] }
  return { ...entityOf('PHONE_NUMBER', id), ...flagged }
}

function healthOfTemplate({ id, status }: Template) {
  const obstacle = { code: 141002, solution: 'Use an approved template.' }
  return entityOf('MESSAGE_TEMPLATE', id, status === 'APPROVED' ? undefined : obstacle)
}

function entityOf(entity_type: string, id: string, obstacle?: Obstacle | 0) {
  if (!obstacle) return { entity_type, id, can_send_message: 'AVAILABLE' }
  const { code, solution } = obstacle
  const error = { error_code: code, error_description: findError(code).details, possible_solution: solution }
  return { entity_type, id, can_send_message: 'BLOCKED', errors: [error] }
}
