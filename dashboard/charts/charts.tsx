import { Page } from '../ui/page.tsx'

export function Charts() {
  return <Page title="Charts">{null}</Page>
}
