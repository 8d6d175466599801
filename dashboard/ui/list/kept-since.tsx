import { Text } from '@mantine/core'
import { useTexts } from '../../texts/use-texts.ts'
import { dateFormat } from '../formats.ts'
import { DAY } from '../time/parts.ts'
import { type Workspace, useWorkspace } from '../workspace.ts'

/** Says at the end of a list since when its rows are kept. Shows nothing if the list is complete. */
export function KeptSince({ of }: { of: keyof Workspace['keptSince'] }) {
  const { t, language } = useTexts()
  const { keptSince, timeZone } = useWorkspace()
  const since = keptSince[of]
  if (since === null) return null
  const day = dateFormat(language, { timeZone, ...DAY }).format(new Date(since))
  return (
    <Text size="sm" c="dimmed">
      {t('page_list.kept_since', { day })}
    </Text>
  )
}
