import { Page } from '../ui/page.tsx'

export function Confirmation() {
  return <Page title="Confirmation">{null}</Page>
}
