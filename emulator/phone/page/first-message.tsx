import { useState } from 'react'
import { type Screen } from '../state.ts'
import { usePhoneWords } from '../words.ts'

/** The token stays out of the page: whoever started the twin was shown it. */
const requestTo = (origin: string, number: string): string =>
  `curl -s ${origin}/v25.0/${number}/messages -H "authorization: Bearer \${TOKEN:-EAAdemo0twin0access0token}" -H 'content-type: application/json' -d '{
  "messaging_product":"whatsapp","to":"+34600111222","type":"template","template":{"name":"login_code","language":{"code":"en_US"},"components":[
    {"type":"body","parameters":[{"type":"text","text":"493817"}]},
    {"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"493817"}]}]}}'`

export function FirstMessage({ screen }: { screen: Screen }) {
  const words = usePhoneWords()
  const [note, setNote] = useState('')
  const number = screen.businesses[0]?.number
  if (number === undefined) return null
  const request = requestTo(location.origin, number)
  return (
    <section className="first">
      <h2>{words.tryIt}</h2>
      <p className="quiet">{words.tryItAbout}</p>
      <pre tabIndex={0}>{request}</pre>
      <button
        type="button"
        onClick={() =>
          void navigator.clipboard.writeText(request).then(
            () => setNote(words.copied('curl')),
            () => setNote(words.didNotWork),
          )
        }
      >
        {words.copy}
      </button>
      <span role="status"> {note}</span>
    </section>
  )
}
