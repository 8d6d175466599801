import { Page } from '../ui/page.tsx'

export function Messages() {
  return <Page title="Messages">{null}</Page>
}
