import { Page } from '../ui/page.tsx'

export function Senders() {
  return <Page title="Senders">{null}</Page>
}
