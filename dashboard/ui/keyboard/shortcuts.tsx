import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import { Suspense, useEffect } from 'react'
import { withTexts } from '../../texts/load.ts'
import { lazyPart } from '../shell/lazy-part.ts'
import { useSession } from '../workspace.ts'
import { belongsToPage, keyOf } from './keys.ts'
import { offer } from './offer.ts'
import { moveToRow } from './rows.ts'

const KeyList = lazyPart(withTexts(async () => (await import('./key-list.tsx')).KeyList))

/** The keys of every page, and their list. */
export function Shortcuts({ paletteKey }: { paletteKey: string }) {
  const { person } = useSession()
  const [opened, { open, close }] = useDisclosure()
  /** Speech input and some assistive devices press single keys: such a person turns them off. */
  const [isOn, turn] = useLocalStorage({
    key: `doorcode-single-keys-${person.userId}`,
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const key = event.defaultPrevented ? undefined : keyOf(event)
      // The list has the switch, so it opens in any case.
      if (!key || (!isOn && key !== '?') || !belongsToPage(event.target)) return
      event.preventDefault()
      if (key === '?') open()
      else if (key === 'z') offer.latest?.run()
      else moveToRow(key === 'j' ? 1 : -1)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isOn, open])
  return (
    opened && (
      <Suspense>
        <KeyList paletteKey={paletteKey} onClose={close} isOn={isOn} onTurn={turn} />
      </Suspense>
    )
  )
}
