import { later, notBefore } from '../clock.ts'
import { type Sql, type Statement, batch, statement } from '../db.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import { newId } from '../ids.ts'
import type { Check, Purpose } from '../messages/conversation.ts'
import { type NewMessage, putMessages } from '../messages/put.ts'
import type { Content, OutgoingContent } from '../providers/provider.ts'
import { type ConfirmationEffect, type ConfirmationEvent, advanceConfirmation } from './confirmation.ts'
import { keptSentences } from '../sentences.ts'
import { type Question, closingMessage, dayQuestion, notePrompt, reasonsQuestion, timeQuestion } from './questions.ts'
import { type RefusalEffect, type RefusalEvent, advanceRefusal } from './refusal.ts'
import type { CodSettings } from './settings.ts'
import { type Case, lockCases, writeCases } from './state.ts'
import { confirmationView } from './view.ts'

/**
 * Something that happened to one of the two checks of a confirmation. Instants are in real time; `reportId` names the
 * customer's message that brought it.
 */
export type Happening = { workspaceId: string; confirmationId: string; reportId?: string } & (
  | { check: 'confirmation'; event: ConfirmationEvent | Submitted }
  | { check: 'refusal'; event: RefusalEvent | Submitted }
)

/** Reminder and deadline are read from the settings when the submission completes (contract §4). */
export type Submitted = { type: 'template_submitted'; at: Date }

/**
 * Runs the machines in the caller's transaction, each confirmation locked: state, answers, messages, events and their
 * deliveries commit together. Returns for each happening why it changed nothing, or null. After the commit the caller
 * wakes `submit` and `deliver`.
 */
export async function advance(tx: Sql, now: Date, happenings: readonly Happening[]): Promise<(string | null)[]> {
  const cases = await lockCases(tx, happenings)
  const settings = await settingsOf(tx, [...cases.values()])
  const work: Work = { tx, now, settings, messages: [], events: [], answers: [], changed: new Set() }
  const ignored = happenings.map((happening) => {
    const each = cases.get(happening.confirmationId)
    return each ? step(work, each, happening) : notes.noConfirmation.en
  })
  if (work.changed.size > 0) await writeCases(tx, [...work.changed])
  if (work.answers.length > 0) await tx.rows(insertAnswers, [batch(work.answers)])
  await putMessages(tx, now, work.messages)
  await recordEvents(tx, now, work.events)
  return ignored
}

const notes = keptSentences({
  noConfirmation: { en: 'no such confirmation', ar: 'لا يوجد تأكيد كهذا' },
  noRefusalCheck: { en: 'there is no refusal check', ar: 'لا يوجد تحقق من الرفض' },
})

type Work = {
  tx: Sql
  now: Date
  settings: Map<string, CodSettings>
  messages: NewMessage[]
  events: NewEvent[]
  answers: object[]
  changed: Set<Case>
}

type SettingsRow = { workspace_id: string; document: CodSettings }

const readSettings: Statement<SettingsRow> = statement(
  'read_cod_settings_of_workspaces',
  `select workspace_id, document from cod_settings where workspace_id = any ($1::uuid[])`,
)

async function settingsOf(tx: Sql, cases: readonly Case[]): Promise<Map<string, CodSettings>> {
  const rows = await tx.rows(readSettings, [[...new Set(cases.map(({ workspaceId }) => workspaceId))]])
  return new Map(rows.map(({ workspace_id, document }) => [workspace_id, document]))
}

function step(work: Work, each: Case, happening: Happening): string | null {
  const settings = work.settings.get(each.workspaceId)
  if (happening.check === 'confirmation') {
    const event = submitted(happening.event, settings?.confirmation)
    const { state, effects, ignored } = advanceConfirmation(each.confirmation.state, event)
    if (ignored !== null) return ignored
    const { row } = each.confirmation
    each.confirmation = {
      ...each.confirmation,
      row: {
        ...row,
        ...shown(each, row, state, each.confirmation.state),
        reschedule: state.reschedule,
        status: state.status,
      },
      state,
    }
    work.changed.add(each)
    for (const effect of effects) carryOut(work, each, happening, effect)
    return null
  }
  if (!each.refusal) return notes.noRefusalCheck.en
  const { row, state: before } = each.refusal
  const { state, effects, ignored } = advanceRefusal(before, submitted(happening.event, settings?.refusal))
  if (ignored !== null) return ignored
  each.refusal = {
    ...each.refusal,
    row: { ...row, ...shown(each, row, state, before), reason: state.reason, note: state.note, status: state.status },
    state,
  }
  work.changed.add(each)
  for (const effect of effects) carryOut(work, each, happening, effect)
  return null
}

const FALLBACK_NO_RESPONSE_MINUTES = 1_440

/** Settings that were taken away meanwhile leave the specification's default deadline, and no reminder. */
const submitted = <Event extends { type: string }>(
  event: Event | Submitted,
  settings: CodSettings['confirmation'] | undefined,
) =>
  event.type === 'template_submitted'
    ? {
        type: 'submitted' as const,
        at: (event as Submitted).at,
        reminderMinutes: settings?.reminderMinutes ?? null,
        noResponseMinutes: settings?.noResponseMinutes ?? FALLBACK_NO_RESPONSE_MINUTES,
      }
    : (event as Exclude<Event, Submitted>)

type Shown = { answeredAt: Date | null; failure: { code: ConfirmationRowFailure; at: Date } | null }
type ConfirmationRowFailure = NonNullable<Case['confirmation']['row']['failure_code']>

/** What callers see is in the workspace's time; what the step left alone was brought into it before. */
const shown = (each: Case, row: { answered_at: Date | null; failed_at: Date | null }, next: Shown, before: Shown) => ({
  answered_at:
    next.answeredAt === before.answeredAt
      ? row.answered_at
      : next.answeredAt && afterItsCreation(each, next.answeredAt),
  failure_code: next.failure?.code ?? null,
  failed_at: next.failure === before.failure ? row.failed_at : next.failure && afterItsCreation(each, next.failure.at),
})

/** In the workspace's time. By a clock of the provider's that is slow, an answer may seem older than its confirmation. */
const afterItsCreation = (each: Case, at: Date): Date =>
  notBefore(later(each.confirmation.row.created_at, 1), inWorkspaceTime(each, at))

const inWorkspaceTime = ({ clockOffsetMs }: Case, at: Date): Date => later(at, clockOffsetMs)

type Cause = Pick<Happening, 'check' | 'reportId'>

function carryOut(
  work: Work,
  each: Case,
  { check, reportId }: Cause,
  effect: ConfirmationEffect | RefusalEffect,
): void {
  switch (effect.type) {
    case 'answered': {
      const { type: _type, answer, at, ...detail } = effect
      work.answers.push({
        id: newId(),
        workspace_id: each.workspaceId,
        confirmation_id: each.id,
        check_kind: check,
        answer,
        detail,
        answered_at: afterItsCreation(each, at),
        report_id: reportId,
      })
      return
    }
    case 'emit':
      work.events.push(event(each, effect.event, effect.at))
      return
    case 'resend_template':
      put(work, each, { check, purpose: 'reminder', content: null })
      return
    case 'ask_day':
      ask(work, each, 'day_question')
      return
    case 'ask_time':
      ask(work, each, 'time_question')
      return
    case 'ask_reasons':
      ask(work, each, 'reasons_question')
      return
    case 'ask_note':
      say(work, each, 'refusal', 'note_prompt')
      return
    case 'close':
      say(work, each, check, 'closing')
      return
  }
}

/** `occurredAt` rises strictly within one confirmation, so that receivers can tell which event is the last. */
function event(each: Case, type: NewEvent['type'], at: Date): NewEvent {
  const wanted = inWorkspaceTime(each, at)
  const occurredAt = each.lastEventAt && wanted <= each.lastEventAt ? later(each.lastEventAt, 1) : wanted
  each.lastEventAt = occurredAt
  const data = {
    ...confirmationView(each.confirmation.row, each.refusal?.row ?? null),
    occurredAt: occurredAt.toISOString(),
  }
  return { id: newId(), workspaceId: each.workspaceId, type, confirmationId: each.id, data }
}

/** A language that was taken out of the settings meanwhile leaves nothing to ask with: the follow-up then expires. */
function ask(work: Work, each: Case, purpose: 'day_question' | 'time_question' | 'reasons_question'): void {
  const settings = work.settings.get(each.workspaceId)
  if (!settings) return
  const check = purpose === 'reasons_question' ? 'refusal' : 'confirmation'
  const id = newId()
  const { language } = check === 'confirmation' ? each.confirmation : (each.refusal ?? each.confirmation)
  const asked = { settings, language, questionId: id, now: inWorkspaceTime(each, work.now) }
  const question = QUESTIONS[purpose](asked)
  if (!question) return
  const round = check === 'confirmation' ? each.confirmation.state.followUp : (each.refusal?.state.list ?? 0)
  put(work, each, { id, check, purpose, content: question.content, offered: question.offered, round })
}

const QUESTIONS = {
  day_question: dayQuestion,
  time_question: timeQuestion,
  reasons_question: reasonsQuestion,
} satisfies Record<string, (asked: Parameters<typeof dayQuestion>[0]) => Question | undefined>

function say(work: Work, each: Case, check: Check, purpose: 'note_prompt' | 'closing'): void {
  const settings = work.settings.get(each.workspaceId)
  if (!settings) return
  const { language } = check === 'confirmation' ? each.confirmation : (each.refusal ?? each.confirmation)
  const content: Content | undefined =
    purpose === 'note_prompt' ? notePrompt({ settings, language }) : closingMessage({ settings, language, check })
  if (content) put(work, each, { check, purpose, content })
}

type Said = {
  id?: string
  check: Check
  purpose: Purpose
  content: OutgoingContent | null
  offered?: string[]
  round?: number
}

/** Typed text belongs to whoever asked last, so the time of the latest question is kept with its check. */
function put(work: Work, each: Case, { id = newId(), check, purpose, content, offered, round }: Said): void {
  if (purpose !== 'closing' && purpose !== 'reminder') {
    if (check === 'confirmation') each.confirmation = { ...each.confirmation, askedAt: work.now }
    else if (each.refusal) each.refusal = { ...each.refusal, askedAt: work.now }
  }
  work.messages.push({
    id,
    workspaceId: each.workspaceId,
    senderId: each.senderId,
    recipient: each.recipient,
    confirmationId: each.id,
    check,
    purpose,
    content,
    offered: offered ?? null,
    round: round ?? null,
    createdAt: inWorkspaceTime(each, work.now),
  })
}

const insertAnswers = statement(
  'insert_cod_answers',
  `insert into cod_answers (id, workspace_id, confirmation_id, check_kind, answer, detail, answered_at, report_id)
   select id, workspace_id, confirmation_id, check_kind, answer, detail, answered_at, report_id
   from jsonb_to_recordset($1) as a (id uuid, workspace_id uuid, confirmation_id uuid, check_kind text, answer text, detail jsonb,
     answered_at timestamptz, report_id uuid)`,
)
