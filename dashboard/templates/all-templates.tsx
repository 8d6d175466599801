import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../texts/use-texts.ts'
import { useWorkspace } from '../ui/workspace.ts'

/** The way back to the list of templates. A link inside a sentence needs its underline. */
export function AllTemplates({ inText = false }: { inText?: boolean }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  return (
    <Anchor
      {...(inText ? { inherit: true, underline: 'always' } : { size: 'sm' })}
      renderRoot={(props) => <Link {...props} to="/w/$workspaceId/templates" params={{ workspaceId }} />}
    >
      {t('page_templates.all')}
    </Anchor>
  )
}
