import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BusinessEntry, Change, CustomerEntry, Entry } from '../src/wire/chats.ts'
import {
  EMPTY_SCREEN,
  type Screen,
  type ScreenEvent,
  changeFor,
  daysOf,
  screenReducer,
  keyOf,
  lastUnread,
  searchChats,
  phoneOf,
  phoneTyped,
  shownOf,
  unreadOf,
} from './state.ts'

const ANA = { phone: '+34600111222', number: '101' }
const SARA = { phone: '+212612345678', number: '101' }

const fromShop = (order: number, changes: Partial<BusinessEntry> = {}): BusinessEntry => ({
  by: 'business',
  order,
  id: `shop-${order}`,
  at: '2026-11-20T12:00:00.000Z',
  arrivedAt: '2026-11-20T12:00:00.000Z',
  status: 'delivered',
  ticks: 'delivered',
  type: 'template',
  body: `Message *${order}*`,
  buttons: [],
  ...changes,
})
const fromCustomer = (order: number, changes: Partial<CustomerEntry> = {}): CustomerEntry => ({
  by: 'customer',
  order,
  id: `customer-${order}`,
  at: '2026-11-20T12:01:00.000Z',
  did: 'typed',
  text: 'Thanks',
  readByBusiness: false,
  ...changes,
})
const state = (chats: Extract<Change, { kind: 'state' }>['chats']): Change => ({
  kind: 'state',
  businesses: [{ number: '101', name: 'Shop', display: '+1555' }],
  chats,
  phones: [],
  posts: [],
})
const after = (...events: ScreenEvent[]): Screen => events.reduce(screenReducer, EMPTY_SCREEN)
const says = (pair: typeof ANA, entry: Entry): ScreenEvent => ({ kind: 'entry', ...pair, entry })
const phonesOf = (screen: Screen, search = ''): string[] => searchChats(screen, search).map(({ phone }) => phone)

test('a new message moves its chat to the top, an old one’s status does not', () => {
  const both = after(state([]), says(ANA, fromShop(1)), says(SARA, fromShop(2)))
  assert.deepEqual(phonesOf(both), [SARA.phone, ANA.phone])
  const read = screenReducer(both, says(ANA, fromShop(1, { ticks: 'read' })))
  assert.deepEqual(phonesOf(read), [SARA.phone, ANA.phone])
  assert.deepEqual(phonesOf(screenReducer(read, says(ANA, fromCustomer(3)))), [ANA.phone, SARA.phone])
})

test('a message from the stream is not replaced by an older answer', () => {
  const screen = after(state([]), says(ANA, fromShop(2, { ticks: 'read' })), {
    kind: 'older',
    ...ANA,
    entries: [fromShop(1), fromShop(2, { ticks: 'sent' })],
  })
  const entries = screen.chats.get(keyOf(ANA))?.entries ?? []
  assert.deepEqual(
    entries.map((entry) => entry.by === 'business' && [entry.order, entry.ticks]),
    [
      [1, 'delivered'],
      [2, 'read'],
    ],
  )
})

test('messages that arrived since the last look and were not read are unread', () => {
  const screen = after(
    state([{ ...ANA, entries: [fromShop(1, { ticks: 'read' }), fromShop(2)] }]),
    says(ANA, fromShop(3, { arrivedAt: null })),
    says(ANA, fromShop(4)),
  )
  assert.equal(unreadOf(screen, ANA), 2)
  assert.equal(lastUnread(screen.chats.get(keyOf(ANA))?.entries ?? []), 4)
  const seen = screenReducer(screen, { kind: 'seen', ...ANA })
  assert.equal(unreadOf(seen, ANA), 0)
  assert.equal(unreadOf(screenReducer(seen, says(ANA, fromShop(5))), ANA), 1)
})

test('after a reconnect the stream replaces everything except customers without messages', () => {
  const screen = after(state([{ ...ANA, entries: [fromShop(1)] }]), { kind: 'begun', ...SARA }, state([]))
  assert.deepEqual(phonesOf(screen), [SARA.phone])
})

test('a search finds numbers however they are written, and words of any message', () => {
  const screen = after(state([]), says(ANA, fromShop(1)), says(ANA, fromCustomer(2)), says(SARA, fromShop(3)))
  assert.deepEqual(phonesOf(screen, '600 111'), [ANA.phone])
  assert.deepEqual(phonesOf(screen, 'THANKS'), [ANA.phone])
  assert.deepEqual(phonesOf(screen, 'nothing'), [])
  assert.equal(searchChats(screen, '')[0]?.line, 'Message 3')
})

test('a tapped button or answered list is greyed only on its own message', () => {
  const buttons = [
    { index: 0, type: 'QUICK_REPLY', text: 'Confirm', payload: 'yes' },
    { index: 1, type: 'QUICK_REPLY', text: 'Cancel', payload: 'no' },
  ]
  const list = { button: 'Reasons', rows: [{ section: '', id: 'late', title: 'Late' }] }
  const entries = [
    fromShop(1, { buttons }),
    fromShop(2, { buttons }),
    fromCustomer(3, { did: 'tapped', text: 'Confirm', payload: 'yes', quotes: 'shop-1' }),
    fromShop(4, { list }),
    fromCustomer(5, { did: 'chose', text: 'Late', payload: 'late', quotes: 'shop-4' }),
  ]
  const tapped = entries.map((entry) => shownOf(entry, entries, '').bubble.buttons?.map((button) => button.tapped))
  assert.deepEqual(tapped, [[true, false], [false, false], undefined, [true], undefined])
  assert.equal(shownOf(entries[2] ?? fromShop(9), entries, '').bubble.quoted, 'Message *1*')
})

test('each button does what it does on a phone', () => {
  const entry = fromShop(1, {
    buttons: [
      { index: 0, type: 'URL', text: 'Copy code', code: '493817' },
      { index: 1, type: 'URL', text: 'Open', url: 'https://shop.example' },
      { index: 2, type: 'REPLY', text: 'Yes', payload: 'yes' },
    ],
    list: { button: 'More', rows: [] },
  })
  assert.deepEqual(shownOf(entry, [entry], '').acts, [
    { does: 'copy', code: '493817' },
    { does: 'nothing' },
    { does: 'tap', button: 2 },
    { does: 'open_list' },
  ])
})

test('a message without a time stays on the day of its neighbour', () => {
  const entries = [fromShop(1), fromCustomer(2, { at: null }), fromShop(3, { at: '2026-11-21T01:00:00.000Z' })]
  const days = daysOf(entries, (at) => at.toISOString().slice(0, 10))
  assert.deepEqual(
    days.map(({ day, entries: of }) => [day, of.length]),
    [
      ['2026-11-20', 2],
      ['2026-11-21', 1],
    ],
  )
})

test('a phone has the default settings until a change arrives', () => {
  const off = { phone: ANA.phone, online: false, readReceipts: true, blocked: [] }
  const screen = after(state([]), { kind: 'phone', phone: off })
  assert.deepEqual([phoneOf(screen, ANA.phone).online, phoneOf(screen, SARA.phone).online], [false, true])
})

test('a number may have spaces and brackets but needs its country code', () => {
  assert.equal(phoneTyped(' +34 600 (111) 222'), '+34600111222')
  assert.equal(phoneTyped('+34.600/111.222'), '+34600111222')
  for (const text of ['34600111222', '+', '+12', 'ana']) assert.equal(phoneTyped(text), undefined)
})

test('a search finds a number with the separators that a new customer’s number may have', () => {
  const screen = after(state([{ ...ANA, entries: [fromShop(1)] }]))
  const [country, number] = [ANA.phone.slice(0, 3), ANA.phone.slice(3)]
  for (const search of [`${country}.${number}`, `${country}/${number}`, `(${number.slice(0, 3)}) ${number.slice(3)}`])
    assert.equal(searchChats(screen, search).length, 1, search)
})

test('a number may have the digits of other scripts, and the marks of a copied one', () => {
  for (const text of ['+٣٤٦٠٠١١١٢٢٢', '+۳۴۶۰۰۱۱۱۲۲۲', '+३४६००१११२२२', '+৩৪৬০০১১১২২২', '\u202a+34 600-111-222\u202c'])
    assert.equal(phoneTyped(text), '+34600111222')
  const screen = after(state([{ ...ANA, entries: [fromShop(1)] }]))
  const typed = ANA.phone.replaceAll(/\d/g, (digit) => String.fromCharCode(0x0660 + Number(digit)))
  assert.equal(searchChats(screen, typed).length, 1)
})

test('the chat that a reader looks at stays while hundreds of others get messages', () => {
  const others = Array.from({ length: 600 }, (_, index) => ({ phone: `+21266${1_000_000 + index}`, number: '101' }))
  const seen: ScreenEvent = { kind: 'seen', ...ANA }
  const screen = after(
    state([]),
    seen,
    says(ANA, fromShop(1)),
    ...others.map((pair, at) => says(pair, fromShop(at + 2))),
  )
  assert.deepEqual(screen.chats.get(keyOf(ANA))?.entries, [fromShop(1)])
  assert.ok(screen.chats.size < others.length, 'the oldest others are gone')
})

test('a screen of one phone takes nothing of the others', () => {
  const changes: Change[] = [
    state([
      { ...ANA, entries: [fromShop(1)] },
      { ...SARA, entries: [fromShop(2)] },
    ]),
    { kind: 'entry', ...SARA, entry: fromShop(3) },
    { kind: 'phone', phone: { phone: SARA.phone, online: false, readReceipts: true, blocked: [] } },
    { kind: 'entry', ...ANA, entry: fromShop(4) },
  ]
  const screen = after(...changes.flatMap((change) => changeFor(ANA, change) ?? []))
  assert.deepEqual([...screen.chats.keys()], [keyOf(ANA)])
  assert.deepEqual(screen.chats.get(keyOf(ANA))?.entries, [fromShop(1), fromShop(4)])
  assert.equal(screen.phones.size, 0)
})
