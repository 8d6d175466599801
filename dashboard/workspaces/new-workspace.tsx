import { Page } from '../ui/page.tsx'

export function NewWorkspace() {
  return <Page title="NewWorkspace">{null}</Page>
}
