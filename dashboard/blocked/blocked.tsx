import { Page } from '../ui/page.tsx'

export function Blocked() {
  return <Page title="Blocked">{null}</Page>
}
