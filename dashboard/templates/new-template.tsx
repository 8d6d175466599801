import { Page } from '../ui/page.tsx'

export function NewTemplate() {
  return <Page title="NewTemplate">{null}</Page>
}
