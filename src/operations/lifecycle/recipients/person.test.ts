import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_USER_IDS, type Person, findOwned, withLearnedUserIds } from './person.ts'

const NUMBER = '212653651446'
const PERSON: Person = { workspaceId: '', phones: [`+${NUMBER}`], userIds: ['MA.1'] }
const OTHER = { from: '212600000001', from_user_id: 'MA.2' }

const isOwned = (report: object): boolean => findOwned(PERSON, JSON.stringify(report)) !== undefined

test('a report belongs to its sender or recipient, and to no one in its content', () => {
  const owned = [
    { message: { from: NUMBER } },
    { message: { from: `+${NUMBER}` } },
    { message: { from: Number(NUMBER) } },
    { message: { from_user_id: 'MA.1' } },
    { message: { from: '212600000001', system: { type: 'user_changed_number', wa_id: NUMBER } } },
    { message: { system: { type: 'user_changed_user_id', user_id: 'MA.3', previous_user_id: 'MA.1' } } },
    { recipient_id: NUMBER, status: 'sent' },
    { recipient_user_id: 'MA.1', status: 'sent' },
  ]
  for (const report of owned) assert.ok(isOwned(report), JSON.stringify(report))
  const others = [
    { message: { ...OTHER, contacts: [{ phones: [{ wa_id: NUMBER, user_id: 'MA.1' }] }] } },
    { message: { ...OTHER, context: { from: NUMBER } } },
    { message: { ...OTHER, text: { body: `{"from":"${NUMBER}"}` } } },
    { recipient_id: `${NUMBER}0` },
    { from: { message: { from: NUMBER } } },
  ]
  for (const report of others) assert.ok(!isOwned(report), JSON.stringify(report))
  for (const body of ['', '[]', '{', '7']) assert.equal(findOwned(PERSON, body), undefined)
})

test('user ids are learned only from reports with the number, and only so many', () => {
  const learned = (report: object) => findOwned(PERSON, JSON.stringify(report))?.userIds
  assert.deepEqual(learned({ message: { from: NUMBER, from_user_id: 'MA.3' } }), ['MA.3'])
  assert.deepEqual(learned({ message: { from_user_id: 'MA.1', system: { user_id: 'MA.3' } } }), [])
  const many = Array.from({ length: MAX_USER_IDS + 5 }, (_, index) => `MA.${index}`)
  assert.equal(withLearnedUserIds(PERSON, [...many, ...many]).userIds.length, MAX_USER_IDS)
})
