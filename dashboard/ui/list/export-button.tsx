import { Button, Tooltip } from '@mantine/core'
import { DownloadIcon } from '@radix-ui/react-icons'
import type { ExportedListName } from '../../../src/admin/export/lists.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { useWorkspace } from '../workspace.ts'

type Filters = Readonly<Record<string, string | undefined>>

/** Every row that the list's filters match, as a file. A link, so that the browser writes the rows to disk as they come. */
export function ExportButton({ list, filters = {} }: { list: ExportedListName; filters?: Filters }) {
  const { t, language } = useTexts()
  const { workspaceId } = useWorkspace()
  const chosen = Object.entries(filters).filter((each): each is [string, string] => Boolean(each[1]))
  const query = new URLSearchParams([...chosen, ['locale', language]])
  return (
    <Tooltip multiline w={260} label={t('page_list.export_hint')}>
      <Button
        component="a"
        href={`/dashboard/export/${workspaceId}/${list}?${query.toString()}`}
        download
        variant="default"
        leftSection={<DownloadIcon aria-hidden="true" />}
      >
        {t('page_list.export')}
      </Button>
    </Tooltip>
  )
}
