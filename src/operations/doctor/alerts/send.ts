import { inEnglish } from '../../../../locales/resources.ts'
import type { Config } from '../../../lib/config.ts'
import { Interrupted, post, webhookAgent } from '../../../webhooks/delivery/post.ts'
import { sign } from '../../../webhooks/delivery/sign.ts'
import { sendMail } from './mail.ts'
import { messageOf } from './message.ts'
import type { Alert } from './store.ts'

/** Makes one attempt. `attempt` returns what went wrong, without the receiver's address or password, and undefined if nothing did. */
export type Sender = { attempt: (alert: Alert, at: Date) => Promise<string | undefined>; close: () => void }

export function createSender(
  { alertTarget: target, alertSecret, publicUrl }: Pick<Config, 'alertTarget' | 'alertSecret' | 'publicUrl'>,
  stop: AbortSignal,
): Sender {
  // Only operators can set the receiver, so it may be on a private address, unlike an endpoint.
  const agent = webhookAgent({ allowPrivate: true })
  return {
    async attempt(alert, at) {
      const message = messageOf(alert, publicUrl)
      if (target?.kind === 'mail') return sendMail(target, message, stop)
      if (!target || alertSecret === undefined) return undefined
      const body = JSON.stringify(message)
      const headers = sign({ id: alert.id, at, body }, [alertSecret])
      try {
        const { httpStatus, error } = await post(agent, { url: target.url, headers, body }, stop)
        if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) return undefined
        return error ? inEnglish(error) : `the receiver responded with ${httpStatus}`
      } catch (error) {
        if (error instanceof Interrupted) return 'interrupted'
        throw error
      }
    },
    close: () => agent.destroy(),
  }
}
