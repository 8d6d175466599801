import { z } from 'zod'
import { TWIN_LIMITS } from './limits.ts'

/** How Meta's reviewers treat the next created templates. */
export const reviewSchema = z.strictObject({
  outcome: z.enum(['approve', 'reject', 'never']).default('approve'),
  /** 0 answers the creation itself with the outcome. */
  afterMs: z.number().min(0).max(TWIN_LIMITS.scriptDelayMs).default(2_000),
  /** For a rejection. */
  reason: z
    .enum([
      'ABUSIVE_CONTENT',
      'CATEGORY_NOT_AVAILABLE',
      'INCORRECT_CATEGORY',
      'INVALID_FORMAT',
      'PROMOTIONAL',
      'SCAM',
      'TAG_CONTENT_MISMATCH',
    ])
    .default('INVALID_FORMAT'),
  /** The template comes out of the review in this category. */
  category: z.enum(['AUTHENTICATION', 'MARKETING', 'UTILITY']).optional(),
  /** For this many creations; without it for all from now on. */
  times: z.int().min(1).optional(),
})

export type ReviewSeed = z.input<typeof reviewSchema>
export type ReviewPlan = z.output<typeof reviewSchema>

export const USUAL_REVIEW: ReviewPlan = reviewSchema.parse({})
