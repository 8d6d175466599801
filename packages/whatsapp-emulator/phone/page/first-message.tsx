import { useState } from 'react'
import { copyText } from '../copy-text.ts'
import type { Screen } from '../state.ts'
import { usePhoneTexts } from '../texts.ts'

/** The token stays out of the page: the terminal shows it at the start. */
const requestTo = (origin: string, number: string): string =>
  `curl -s ${origin}/v25.0/${number}/messages -H "authorization: Bearer \${TOKEN:-EAAdemo0emulator0access0token}" -H 'content-type: application/json' -d '{
  "messaging_product":"whatsapp","to":"+34600111222","type":"template","template":{"name":"login_code","language":{"code":"en_US"},"components":[
    {"type":"body","parameters":[{"type":"text","text":"493817"}]},
    {"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"493817"}]}]}}'`

export function FirstMessage({ screen }: { screen: Screen }) {
  const { t } = usePhoneTexts()
  const [note, setNote] = useState('')
  const number = screen.businesses[0]?.number
  const hasMessages = [...screen.chats.values()].some(({ entries }) => entries.length > 0)
  if (number === undefined || hasMessages) return null
  const request = requestTo(location.origin, number)
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(request)
    setNote(isCopied ? t('page_chats.copied', { value: 'curl' }) : t('page_chats.did_not_work'))
  }
  return (
    <section className="first">
      <h2>{t('page_emulator.try_it')}</h2>
      <p className="quiet">{t('page_emulator.try_it_about')}</p>
      <pre tabIndex={0}>{request}</pre>
      <button type="button" onClick={() => void copy()}>
        {t('page_emulator.copy')}
      </button>
      <span role="status"> {note}</span>
    </section>
  )
}
