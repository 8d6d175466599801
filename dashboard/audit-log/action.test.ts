import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RESOURCES, actionsOf, auditActions, isAuditAction } from '../../src/admin/audit/actions.ts'
import { COMMAND_LINE } from '../../src/admin/audit/audit.ts'
import { english } from '../../locales/resources.ts'
import { codeOfAction, sentenceCodeOf } from './action.ts'
import { COMMAND_LINE as SHOWN_COMMAND_LINE } from './command-line.ts'

test('every action has a name, a sentence and a resource that is named', () => {
  const actions = Object.keys(auditActions).filter(isAuditAction)
  const codes = [
    ...actions.flatMap((action) => [codeOfAction(action), sentenceCodeOf(action)]),
    ...RESOURCES.map((resource) => `page_audit_log.resources_${resource}`),
  ]
  assert.deepEqual(
    codes.filter((code) => !english.has(code)),
    [],
  )
  assert.deepEqual(RESOURCES.flatMap(actionsOf).toSorted(), actions.toSorted())
})

test('the pages know the command line by the name that the server records', () => {
  assert.equal(SHOWN_COMMAND_LINE, COMMAND_LINE.who)
})
