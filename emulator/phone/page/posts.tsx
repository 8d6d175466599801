import type { Post } from '../chats.ts'
import { REAL_CLOCK } from '../clock.ts'
import { usePhoneLanguage, usePhoneWords } from '../words.ts'

/** Webhooks to the business as they leave, the newest first. */
export function Posts({ posts }: { posts: readonly Post[] }) {
  const words = usePhoneWords()
  return (
    <section className="posts" aria-labelledby="posts">
      <h2 id="posts">{words.posts}</h2>
      <p className="quiet">{posts.length > 0 ? words.postsAbout : words.noPosts}</p>
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

function PostItem({ post }: { post: Post }) {
  const words = usePhoneWords()
  const language = usePhoneLanguage()
  const { at, tells, state, httpStatus, fault, tookMs, attempts, body } = post
  const time = new Intl.DateTimeFormat(language === 'ar' ? 'ar-u-nu-latn' : 'en-GB', {
    timeStyle: 'medium',
    hourCycle: 'h23',
    timeZone: REAL_CLOCK.timeZone,
  }).format(new Date(at))
  return (
    <details className="post" data-state={state}>
      <summary>
        <span className="tells as-typed">{told(tells)}</span>
        <span className="outcome">
          {words.postState[state]}
          {httpStatus !== null && <code> {httpStatus}</code>}
        </span>
        <span className="quiet">
          {time}
          {tookMs !== null && (
            <>
              {' · '}
              <bdi className="as-typed">{tookMs} ms</bdi>
            </>
          )}
          {attempts > 1 && ` · ${words.tries(attempts)}`}
        </span>
      </summary>
      {fault !== null && <p className="as-typed">{fault}</p>}
      {body === null ? <p className="quiet">{words.bodyGone}</p> : <pre tabIndex={0}>{spaced(body)}</pre>}
    </details>
  )
}

const told = (tells: readonly string[]): string => {
  const names = [...new Set(tells)]
  return tells.length > names.length ? `${names.join(', ')} ×${tells.length}` : names.join(', ')
}

/** A body that was shortened is no JSON. */
function spaced(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}
