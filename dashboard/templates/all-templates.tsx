import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../texts/use-texts.ts'
import { useWorkspace } from '../ui/workspace.ts'

/** The way back to the list of templates. */
export function AllTemplates() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link {...props} to="/w/$workspaceId/templates" params={{ workspaceId }} />}
    >
      {t('page_templates.all')}
    </Anchor>
  )
}
