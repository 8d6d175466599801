import { english, inEnglish } from '../../../locales/resources.ts'
import { asWritten } from '../../../locales/text.ts'
import { type Config, ConfigError, readConfig } from '../../lib/config.ts'
import { examine } from '../../operations/doctor/examine.ts'
import { type Finding, type Level, findingText, fixText, inOrder, toFinding } from '../../operations/doctor/finding.ts'
import { openForDoctor } from '../../runtime/start/open-for-doctor.ts'
import type { Command } from '../command.ts'

export const doctor: Command = {
  words: 'doctor',
  example: '--json',
  summary: 'Check settings, processes, database, WhatsApp accounts and due work, and say how to fix what is wrong.',
  options: {},
  work: {
    on: 'environment',
    async run(environment) {
      const findings = await findAll(environment)
      const failed = findings.some(({ level }) => level === 'failure')
      return { result: { findings }, text: format(findings), failed }
    },
  },
}

async function findAll(environment: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  const { instance, known, close } = await openEnvironment(environment)
  try {
    return await examine(instance, { known, outside: true })
  } finally {
    await close()
  }
}

/** What of the instance exists. If a setting is invalid, nothing of it does, and `known` has a finding for each. */
export async function openEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): ReturnType<typeof openForDoctor> {
  let config: Config
  try {
    config = readConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const known = error.mistakes.map((mistake) =>
      toFinding('settings', { code: 'setting_invalid', mistake: asWritten(mistake) }),
    )
    return { instance: {}, known, close: async () => {} }
  }
  return openForDoctor(config)
}

const TITLES: Readonly<Record<Exclude<Level, 'ok'>, string>> = { failure: 'Failures', warning: 'Warnings' }

const nameOf = ({ check }: Finding): string => english.t(`doctor.check_${check}`)

function format(findings: readonly Finding[]): string {
  const skipped = findings.filter(({ code }) => code === 'skipped')
  const others = inOrder(findings).filter(({ code }) => code !== 'skipped')
  const problems = (['failure', 'warning'] as const).flatMap((level) => {
    const some = others.filter((finding) => finding.level === level)
    return some.length === 0 ? [] : [`${TITLES[level]}\n\n${some.map(formatProblem).join('\n\n')}`]
  })
  const fine = others.filter(({ level }) => level === 'ok').map(nameOf)
  return [
    ...problems,
    ...(skipped.length > 0 ? [`Not checked: ${skipped.map(nameOf).join(', ')}.`] : []),
    ...(fine.length > 0 ? [`No problem found: ${fine.join(', ')}.`] : []),
  ].join('\n\n')
}

function formatProblem(finding: Finding): string {
  const fix = fixText(finding)
  return `  ${nameOf(finding)}: ${inEnglish(findingText(finding))}${fix ? `\n    ${inEnglish(fix)}` : ''}`
}
