import { Page } from '../ui/page.tsx'

export function CodSettings() {
  return <Page title="CodSettings">{null}</Page>
}
