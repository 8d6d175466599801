import { Text, Tooltip } from '@mantine/core'
import { type ReactNode, createContext, useContext, useEffect, useMemo, useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { useWorkspaceIfAny } from '../workspace.ts'

type Times = { add: () => () => void }

const TimesOnPage = createContext<Times | undefined>(undefined)

/** Each time announces itself to its page, which then names the zone. */
export function useZoneOnPage(): void {
  const times = useContext(TimesOnPage)
  useEffect(() => times?.add(), [times])
}

export function useTimesOnPage(): { hasTimes: boolean; Provider: (props: { children: ReactNode }) => ReactNode } {
  const [count, setCount] = useState(0)
  const Provider = useMemo(() => {
    const times: Times = {
      add() {
        setCount((before) => before + 1)
        return () => setCount((before) => before - 1)
      },
    }
    return ({ children }: { children: ReactNode }) => <TimesOnPage value={times}>{children}</TimesOnPage>
  }, [])
  return { hasTimes: count > 0, Provider }
}

/** The page's only mention of the time zone. */
export function ZoneOfPage() {
  const { t } = useTexts()
  const workspace = useWorkspaceIfAny()
  if (!workspace) return null
  return (
    <Tooltip label={t('page_shell.zone_hint')}>
      <Text size="sm" c="dimmed" data-zone>
        <span className="as-typed">{workspace.timeZone}</span>
      </Text>
    </Tooltip>
  )
}
