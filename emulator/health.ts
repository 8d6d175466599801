import { findError } from './errors.ts'
import type { Account, PhoneNumber } from './accounts.ts'
import type { Template } from './templates.ts'

type Ability = 'AVAILABLE' | 'LIMITED' | 'BLOCKED'
type Entity = {
  entity_type: string
  id: string
  can_send_message: Ability
  errors?: { error_code: number; error_description: string; possible_solution: string }[]
  additional_info?: string[]
}

/** `health_status` of a number, a template or an account: all that stands in the way of a send; the worst decides. */
export function healthOf(account: Account, part: { number?: PhoneNumber; template?: Template }) {
  const entities: Entity[] = [
    ...(part.number === undefined ? [] : [numberEntity(part.number)]),
    ...(part.template === undefined ? [] : [templateEntity(part.template)]),
    accountEntity(account),
    { entity_type: 'BUSINESS', id: account.businessId, can_send_message: 'AVAILABLE' },
    { entity_type: 'APP', id: account.appId, can_send_message: 'AVAILABLE' },
  ]
  return { can_send_message: worst(entities.map((entity) => entity.can_send_message)), entities }
}

function numberEntity(number: PhoneNumber): Entity {
  const entity = { entity_type: 'PHONE_NUMBER', id: number.id } as const
  if (number.status === 'CONNECTED') return { ...entity, can_send_message: 'AVAILABLE' }
  if (number.status === 'FLAGGED') {
    return { ...entity, can_send_message: 'LIMITED', additional_info: ['The quality of this number is low.'] }
  }
  return { ...entity, can_send_message: 'BLOCKED', errors: [fault(133010, 'Register the number on the Cloud API.')] }
}

function templateEntity(template: Template): Entity {
  const entity = { entity_type: 'MESSAGE_TEMPLATE', id: template.id } as const
  if (template.status === 'APPROVED') return { ...entity, can_send_message: 'AVAILABLE' }
  return { ...entity, can_send_message: 'BLOCKED', errors: [fault(141002, 'Use an approved template.')] }
}

function accountEntity(account: Account): Entity {
  const entity = { entity_type: 'WABA', id: account.id } as const
  if (account.blockedBy === undefined) return { ...entity, can_send_message: 'AVAILABLE' }
  return {
    ...entity,
    can_send_message: 'BLOCKED',
    errors: [fault(account.blockedBy, 'See the account in the business manager.')],
  }
}

function fault(code: number, solution: string) {
  return { error_code: code, error_description: findError(code).details, possible_solution: solution }
}

function worst(abilities: readonly Ability[]): Ability {
  if (abilities.includes('BLOCKED')) return 'BLOCKED'
  return abilities.includes('LIMITED') ? 'LIMITED' : 'AVAILABLE'
}
