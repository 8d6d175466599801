import { Page } from '../ui/page.tsx'

export function Template() {
  return <Page title="Template">{null}</Page>
}
