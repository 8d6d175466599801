import { Page } from '../ui/page.tsx'

export function Confirmations() {
  return <Page title="Confirmations">{null}</Page>
}
