import type { z } from 'zod'
import type { CodedText } from '../../../locales/text.ts'
import { inEnglish } from '../../../locales/resources.ts'
import { withVisibleTexts } from '../../../locales/visible-text.ts'
import type { Operator } from '../../admin/actions/action.ts'
import { CallError } from '../../admin/rpc/errors.ts'
import { ApiError, apiErrors } from '../../lib/errors.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { faultsOf } from '../../lib/http/faults.ts'
import type { Examiner } from '../../operations/doctor/examiner.ts'
import { toProblem } from '../line/problem.ts'

export type AgentContext = {
  operator: Operator
  /** For searches over many rows. */
  figures: Sql
  doctor: Examiner
  /** The only workspace that the agent can see. */
  workspaceId: string
}

export type Tool = {
  name: string
  title: string
  description: string
  input: z.ZodObject
  /** Changes something, unless its input says that it is a dry run. */
  writes: boolean
  run: (context: AgentContext, input: never) => Promise<object>
}

type Definition<Schema extends z.ZodObject> = Omit<Tool, 'input' | 'run'> & {
  input: Schema
  run: (context: AgentContext, input: z.output<Schema>) => Promise<object>
}

export const tool = <Schema extends z.ZodObject>(definition: Definition<Schema>): Tool => definition

/** Longer texts, such as a customer's note, are cut. */
const MAX_TEXT_CHARACTERS = 1_000

export function shortened(text: string): string {
  const characters = Array.from(text)
  return characters.length <= MAX_TEXT_CHARACTERS ? text : `${characters.slice(0, MAX_TEXT_CHARACTERS).join('')}…`
}

export const sentence = (text: CodedText): string => shortened(inEnglish(text))

/** More than the largest result of a tool, each part of which has a limit of its own. */
const MAX_RESULT_CHARACTERS = 250_000

/** As the protocol sends it. */
export type ToolAnswer = {
  content: { type: 'text'; text: string }[]
  structuredContent: Record<string, unknown>
  isError?: true
}

export function answerOf(result: object): ToolAnswer {
  const text = JSON.stringify(withVisibleTexts(result))
  if (text.length > MAX_RESULT_CHARACTERS)
    return problemAnswer({
      code: 'RESULT_TOO_LONG',
      detail: 'The result is too long. Ask for less, with narrower input.',
    })
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) as Record<string, unknown> }
}

/** `detail` says what is wrong and what to do. */
export type Problem = { code: string; detail: string; fix?: string }

export function problemAnswer(problem: Problem): ToolAnswer {
  const { code, detail, fix } = withVisibleTexts(problem)
  const text = [`${code}: ${detail}`, ...(fix === undefined ? [] : [fix])].join(' ')
  return { content: [{ type: 'text', text }], structuredContent: { ...problem }, isError: true }
}

/** Never quotes a value of the input, which may be a code, or the message of an internal error. */
export function problemOf(error: unknown): Problem {
  if (error instanceof CallError)
    return {
      code: 'TOO_MANY_CALLS',
      detail: 'Too many calls wait already. Wait for the results of earlier ones, then try again.',
    }
  const { code, detail } = toProblem(error)
  return error instanceof ApiError ? { code, detail, fix: apiErrors[code].fix } : { code, detail }
}

/** Names each fault and its place, without the value. */
export function inputProblem(input: unknown, error: z.ZodError, { name }: Tool): Problem {
  const faults = faultsOf('body', input, error)
    .slice(0, MAX_FAULTS_NAMED)
    .map(({ pointer, detail }) => `${pointer || 'The input'} ${inEnglish(detail)}`)
  return {
    code: 'DEVELOPER_INVALID_INPUT',
    detail: `The input of ${name} is not valid: ${faults.join('; ')}. Compare it with the input schema of the tool.`,
  }
}

const MAX_FAULTS_NAMED = 20
