import type { WebhookPost } from '../../src/wire/chats.ts'
import { usePhoneTexts } from '../texts.ts'
import { REAL_CLOCK, formatOf } from '../clock.ts'

/** Webhooks to the business as they leave, the newest first. */
export function Posts({ posts }: { posts: readonly WebhookPost[] }) {
  const { t } = usePhoneTexts()
  return (
    <section className="posts" aria-labelledby="posts">
      <h2 id="posts">{t('page_emulator.posts')}</h2>
      <p className="quiet">{posts.length > 0 ? t('page_emulator.posts_about') : t('page_emulator.no_posts')}</p>
      <ol>
        {posts.toReversed().map((post) => (
          <li key={post.id}>
            <PostItem post={post} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function PostItem({ post }: { post: WebhookPost }) {
  const { t, language } = usePhoneTexts()
  const { sealedAt, labels, state, attempts, body } = post
  const { httpStatus, fault, tookMs } = attempts.at(-1) ?? {}
  const { timeZone } = REAL_CLOCK
  const time = formatOf(language, { timeZone, timeStyle: 'medium' }).format(new Date(sealedAt))
  return (
    <details className="post" data-state={state}>
      <summary>
        <span className="labels as-typed">{eventNames(labels)}</span>
        <span className="outcome">
          {t(`page_emulator.post_state_${state}`)}
          {httpStatus !== undefined && <code> {httpStatus}</code>}
        </span>
        <span className="quiet">
          {time}
          {tookMs !== undefined && (
            <>
              {' · '}
              <bdi className="as-typed">{tookMs} ms</bdi>
            </>
          )}
          {attempts.length > 1 && ` · ${t('page_emulator.tries', { number: attempts.length })}`}
        </span>
      </summary>
      {fault !== undefined && <p className="as-typed">{fault}</p>}
      {body === '' ? <p className="quiet">{t('page_emulator.body_gone')}</p> : <pre tabIndex={0}>{spaced(body)}</pre>}
    </details>
  )
}

const eventNames = (types: readonly string[]): string => {
  const names = [...new Set(types)]
  return types.length > names.length ? `${names.join(', ')} ×${types.length}` : names.join(', ')
}

/** A shortened body is not JSON. */
function spaced(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}
