import { refuseManagement } from './errors.ts'
import { META_LIMITS, TWIN_LIMITS } from './limits.ts'
import { forgetOldest } from './phones.ts'
import { templateKey } from './accounts.ts'
import { USUAL_REVIEW } from './review-plan.ts'
import { jsonInteger } from './webhook-body.ts'
import type { Account } from './accounts.ts'
import type { Parts } from './parts.ts'
import type { ReviewPlan } from './review-plan.ts'
import type { NewTemplate } from './template-rules.ts'
import type { Template, TemplateCategory, TemplateStatus } from './templates.ts'

const HOUR_MS = 60 * 60 * 1000

/** Takes a checked creation and sets its review going. */
export function createTemplate(parts: Parts, account: Account, seed: NewTemplate): Template {
  const now = parts.now()
  checkRoom(account, seed, now)
  const template = parts.accounts.addTemplate(account, seed, now)
  account.creationsAt.push(now)
  const plan = nextReview(account)
  parts.accounts.changed(account)
  if (plan.outcome === 'never') return template
  if (plan.afterMs === 0) decide(parts, account, template, plan)
  else parts.timers.after(plan.afterMs, { kind: 'review', templateId: template.id, review: plan })
  return template
}

/** From here on reviews are decided when they are due. */
export function decideReviews(parts: Parts): void {
  parts.timers.handle('review', ({ templateId, review }) => {
    const row = parts.accounts.findTemplateById(templateId)
    if (row !== undefined) decide(parts, row.account, row.template, review)
  })
}

/** Removes all languages of a name, or the one with this id. */
export function deleteTemplates(parts: Parts, account: Account, name: string, id: string | undefined): void {
  const doomed = [...account.templates.values()].filter(
    (template) => template.name === name && (id === undefined || template.id === id),
  )
  if (doomed.length === 0) refuseManagement(100, 'there is no such template', 2593002)
  if (doomed.some((template) => template.status === 'DISABLED')) {
    refuseManagement(2388039, 'a disabled template cannot be deleted')
  }
  for (const template of doomed) {
    if (template.status === 'APPROVED') {
      account.blockedNames.set(
        templateKey(name, template.language),
        parts.now() + META_LIMITS.deletedTemplateNameBlockedMs,
      )
      forgetOldest(account.blockedNames, TWIN_LIMITS.blockedNamesKept)
    }
    account.templates.delete(templateKey(name, template.language))
    template.status = 'DELETED'
    parts.accounts.changed(account)
    tellStatus(parts, account, template)
  }
}

/** Changes what Meta thinks of a template and tells the callback. Only what differs is told. */
export function changeTemplate(
  parts: Parts,
  account: Account,
  template: Template,
  change: {
    status?: TemplateStatus | undefined
    category?: TemplateCategory | undefined
    quality?: string | undefined
    reason?: string | undefined
  },
): void {
  parts.accounts.changed(account)
  if (change.category !== undefined && change.category !== template.category) {
    template.previousCategory = template.category
    template.category = change.category
    // An automatic change of category takes the chosen time to live away.
    template.ttlSeconds = undefined
    tellCategory(parts, account, template)
  }
  if (change.quality !== undefined && change.quality !== template.qualityScore) {
    const previous = template.qualityScore
    template.qualityScore = change.quality
    tellQuality(parts, account, template, previous)
  }
  if (change.status !== undefined && change.status !== template.status) {
    template.status = change.status
    template.rejectedReason = change.reason ?? 'NONE'
    tellStatus(parts, account, template)
  }
}

function checkRoom(account: Account, { name, language }: NewTemplate, now: number): void {
  const key = templateKey(name, language)
  if (account.templates.has(key)) refuseManagement(100, `${name} exists already in ${language}`, 2388024)
  if ((account.blockedNames.get(key) ?? 0) > now) {
    refuseManagement(100, `${name} in ${language} was deleted; the name is free again 30 days later`, 2388023)
  }
  if (account.templates.size >= META_LIMITS.templatesPerAccount) refuseManagement(2388019)
  while ((account.creationsAt[0] ?? now) <= now - HOUR_MS) account.creationsAt.shift()
  if (account.creationsAt.length >= META_LIMITS.templateCreationsPerHour) {
    refuseManagement(80007, `at most ${META_LIMITS.templateCreationsPerHour} creations an hour`)
  }
}

function nextReview(account: Account): ReviewPlan {
  const plan = account.reviews[0]
  if (plan?.times === undefined) return plan ?? USUAL_REVIEW
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

function tellStatus(parts: Parts, account: Account, template: Template): void {
  const { status, rejectedReason } = template
  tell(parts, account, 'message_template_status_update', {
    event: status,
    ...naming(template),
    message_template_category: template.category,
    reason: rejectedReason,
    ...(status === 'REJECTED'
      ? { rejection_info: { reason: rejectedReason, recommendation: 'Change the template and send it in again.' } }
      : {}),
    ...(status === 'PAUSED'
      ? {
          other_info: {
            title: 'FIRST_PAUSE',
            description: 'The quality of the template is low; it is paused for 3 hours.',
          },
        }
      : {}),
    ...(status === 'DISABLED'
      ? { other_info: { title: 'DISABLED', description: 'The template was paused too often.' } }
      : {}),
  })
}

function tellCategory(parts: Parts, account: Account, template: Template): void {
  const categories = { previous_category: template.previousCategory, new_category: template.category }
  tell(parts, account, 'template_category_update', { ...naming(template), ...categories })
}

function tellQuality(parts: Parts, account: Account, template: Template, previous: string): void {
  const scores = { previous_quality_score: previous, new_quality_score: template.qualityScore }
  tell(parts, account, 'message_template_quality_update', { ...scores, ...naming(template) })
}

function naming(template: Template) {
  return {
    message_template_id: jsonInteger(template.id),
    message_template_name: template.name,
    message_template_language: template.language,
  }
}

function tell(parts: Parts, account: Account, field: string, value: unknown): void {
  parts.outbox.send(account, { kind: 'field', field, value })
}
