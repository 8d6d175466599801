import { Page } from '../ui/page.tsx'

export function Account() {
  return <Page title="Account">{null}</Page>
}
