import type { AlertTarget } from '../../../lib/alert-url.ts'
import { SECOND_MS } from '../../../lib/clock.ts'
import { withTimeout } from '../../../lib/with-timeout.ts'
import type { AlertMessage } from './message.ts'

/** The limit on everything, as for a webhook. */
const TIMEOUT_MS = 15 * SECOND_MS
/** Of each wait for the server. */
const SILENCE_MS = 10 * SECOND_MS

/** `originalCode`: the system's, such as that of a certificate which is not trusted. */
type MailError = { code?: string; originalCode?: string; responseCode?: number }

type MailTarget = Extract<AlertTarget, { kind: 'mail' }>

/**
 * Sends one mail to all addresses. Returns what went wrong, without what the server said, which may repeat addresses. The mail's id
 * is that of the alert, so that mailboxes recognize a repetition. A mail that the server accepts for one of the addresses is sent: a
 * repetition would reach that address twice.
 */
export async function sendMail(
  target: MailTarget,
  message: AlertMessage,
  stop: AbortSignal,
): Promise<string | undefined> {
  const { createTransport } = await import('nodemailer') // 40 ms that other instances need not spend
  const { host, port, secure, auth, from, to } = target
  const transport = createTransport({
    host,
    port,
    secure,
    ...(auth && { auth, requireTLS: !secure }),
    connectionTimeout: SILENCE_MS,
    greetingTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const end = (): void => transport.close()
  stop.addEventListener('abort', end)
  try {
    const sent = transport.sendMail({
      from,
      to: [...to],
      subject: subjectOf(message),
      text: textOf(message),
      messageId: `<${message.id}@doorcode>`,
      date: new Date(message.time),
      headers: { 'auto-submitted': 'auto-generated', 'x-doorcode-alert': message.id },
    })
    sent.catch(() => {}) // after the timeout
    if (!(await withTimeout(TIMEOUT_MS, sent)))
      return `the mail server took longer than ${TIMEOUT_MS / SECOND_MS} seconds`
    await sent
    return undefined
  } catch (error) {
    const { code = '', originalCode = code, responseCode = '' } = error as MailError
    return `the mail server could not be used: ${originalCode} ${responseCode}`.trim()
  } finally {
    stop.removeEventListener('abort', end)
    transport.close()
  }
}

const subjectOf = ({ type, severity, finding }: AlertMessage): string =>
  `[Doorcode] ${type === 'finding.raised' ? severity : 'cleared'}: ${finding}`

function textOf({ type, time, instance, check, finding, severity, text, fix, id }: AlertMessage): string {
  const opening = type === 'finding.raised' ? text : `The checks no longer find this:\n${text}`
  const remedy = type === 'finding.raised' && fix !== '' ? `\n\nWhat to do:\n${fix}` : ''
  return `${opening}${remedy}\n\nInstance: ${instance}\nCheck: ${check}\nFinding: ${finding}\nSeverity: ${severity}\nTime: ${time}\nAlert: ${id}\n`
}
