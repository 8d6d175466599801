import { Page } from '../ui/page.tsx'

export function Phone() {
  return <Page title="Phone">{null}</Page>
}
