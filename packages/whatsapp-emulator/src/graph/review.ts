import type { z } from 'zod'
import { rejectManagement } from '../errors.ts'
import { META_LIMITS, EMULATOR_LIMITS } from '../limits.ts'
import { type Account, templateKey } from '../accounts/accounts.ts'
import { jsonInteger } from '../reading.ts'
import type { NewTemplate } from '../accounts/template-rules.ts'
import { type ReviewPlan, type Template, type templateChangeSchema, reviewSchema } from '../accounts/templates.ts'
import type { Parts } from '../parts.ts'

const DEFAULT_REVIEW = reviewSchema.parse({})
const HOUR_MS = 60 * 60 * 1000

/** Creates a checked template and starts its review. */
export function createTemplate(parts: Parts, account: Account, seed: NewTemplate): Template {
  const now = parts.now()
  checkRoom(account, seed, now)
  const template = parts.accounts.addTemplate(account, seed, now)
  account.creationsAt.push(now)
  const plan = nextReview(account)
  parts.accounts.changed(account)
  if (plan.outcome === 'never') return template
  if (plan.afterMs === 0) decide(parts, account, template, plan)
  else parts.timers.after(plan.afterMs, { kind: 'review', data: { templateId: template.id, review: plan } })
  return template
}

export function defineReviews(parts: Parts): void {
  const { accounts, timers } = parts
  timers.define<{ templateId: string; review: ReviewPlan }>('review', {
    run: ({ templateId, review }) => {
      const row = accounts.findTemplateById(templateId)
      if (row !== undefined) decide(parts, row.account, row.template, review)
    },
    due: ({ templateId }) => {
      const template = accounts.findTemplateById(templateId)?.template
      return template && { kind: 'review', what: `${template.name} (${template.language})`, phone: null, number: null }
    },
  })
}

/** Removes all languages of a name, or the one with this id. */
export function deleteTemplates(parts: Parts, account: Account, name: string, id: string | undefined): void {
  const removed = [...account.templates.values()].filter(
    (template) => template.name === name && (id === undefined || template.id === id),
  )
  if (removed.length === 0) rejectManagement(100, 'there is no such template', 2593002)
  if (removed.some((template) => template.status === 'DISABLED'))
    rejectManagement(2388039, 'a disabled template cannot be deleted')
  for (const template of removed) {
    const key = templateKey(name, template.language)
    if (template.status === 'APPROVED') {
      account.blockedNames.set(key, parts.now() + META_LIMITS.deletedTemplateNameBlockedMs)
      const [oldest = ''] = account.blockedNames.keys()
      if (account.blockedNames.size > EMULATOR_LIMITS.blockedNamesKept) account.blockedNames.delete(oldest)
    }
    account.templates.delete(key)
    template.status = 'DELETED'
    parts.accounts.changed(account)
    sendStatusUpdate(parts, account, template)
  }
}

type Change = z.output<typeof templateChangeSchema>

/** Changes Meta's view of a template, and reports only the differences to the callback. */
export function changeTemplate(parts: Parts, account: Account, template: Template, change: Change): void {
  parts.accounts.changed(account)
  if (change.category !== undefined && change.category !== template.category) {
    template.previousCategory = template.category
    template.category = change.category
    // A changed category removes the chosen time to live.
    template.ttlSeconds = undefined
    const categories = { previous_category: template.previousCategory, new_category: template.category }
    sendUpdate(parts, account, 'template_category_update', { ...identityOf(template), ...categories })
  }
  if (change.quality !== undefined && change.quality !== template.qualityScore) {
    const scores = { previous_quality_score: template.qualityScore, new_quality_score: change.quality }
    template.qualityScore = change.quality
    sendUpdate(parts, account, 'message_template_quality_update', { ...scores, ...identityOf(template) })
  }
  if (change.status !== undefined && change.status !== template.status) {
    template.status = change.status
    template.rejectedReason = change.reason ?? 'NONE'
    sendStatusUpdate(parts, account, template)
  }
}

function checkRoom(account: Account, { name, language }: NewTemplate, now: number): void {
  const key = templateKey(name, language)
  if (account.templates.has(key)) rejectManagement(100, `${name} exists already in ${language}`, 2388024)
  if ((account.blockedNames.get(key) ?? 0) > now)
    rejectManagement(100, `${name} in ${language} was deleted; the name is free again 30 days later`, 2388023)
  if (account.templates.size >= META_LIMITS.templatesPerAccount) rejectManagement(2388019)
  while ((account.creationsAt[0] ?? now) <= now - HOUR_MS) account.creationsAt.shift()
  if (account.creationsAt.length >= META_LIMITS.templateCreationsPerHour)
    rejectManagement(80007, `at most ${META_LIMITS.templateCreationsPerHour} creations an hour`)
}

function nextReview(account: Account): ReviewPlan {
  const plan = account.reviews[0]
  if (plan?.times === undefined) return plan ?? DEFAULT_REVIEW
  plan.times--
  if (plan.times === 0) account.reviews.shift()
  return plan
}

function decide(parts: Parts, account: Account, template: Template, plan: ReviewPlan): void {
  if (template.status !== 'PENDING') return
  parts.counts.reviewed++
  const status = plan.outcome === 'approve' ? 'APPROVED' : 'REJECTED'
  const reason = plan.outcome === 'approve' ? undefined : plan.reason
  changeTemplate(parts, account, template, { category: plan.category, status, reason })
}

function sendStatusUpdate(parts: Parts, account: Account, template: Template): void {
  const { status, rejectedReason } = template
  sendUpdate(parts, account, 'message_template_status_update', {
    event: status,
    ...identityOf(template),
    message_template_category: template.category,
    reason: rejectedReason,
    ...(status === 'REJECTED'
      ? { rejection_info: { reason: rejectedReason, recommendation: 'Change the template and send it in again.' } }
      : STATUS_DETAILS[status]),
  })
}

const STATUS_DETAILS: Partial<Record<Template['status'], object>> = {
  PAUSED: {
    other_info: { title: 'FIRST_PAUSE', description: 'The quality of the template is low; it is paused for 3 hours.' },
  },
  DISABLED: { other_info: { title: 'DISABLED', description: 'The template was paused too often.' } },
}

function identityOf(template: Template) {
  return {
    message_template_id: jsonInteger(template.id),
    message_template_name: template.name,
    message_template_language: template.language,
  }
}

function sendUpdate(parts: Parts, account: Account, field: string, value: unknown): void {
  parts.outbox.send(account, { kind: 'field', field, value })
}
