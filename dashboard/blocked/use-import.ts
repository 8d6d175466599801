import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type RouterOutputs, api } from '../api.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { refreshBlocked } from './block-number.tsx'
import { type Line, batchesOf, linesOf, onlyLines } from './lines.ts'

export type FaultyLine = RouterOutputs['blocked']['check']['faulty'][number]

type ImportAction = 'checking' | 'importing'

/** The state of an import. Nothing is added before the lines are checked and the import is confirmed. */
export type ImportStep =
  | { step: 'writing' }
  | { step: 'working'; doing: ImportAction; done: number; all: number; isStopping: boolean }
  | { step: 'checked'; good: Line[]; already: number; faulty: FaultyLine[] }
  | { step: 'stopped'; doing: ImportAction; added: number; error?: unknown }
  | { step: 'imported'; added: number; left: number }

/** Checks and adds lines batch by batch. It stops with the page, and what was added stays added. */
export function useImport() {
  const { workspaceId } = useWorkspace()
  const [written, setWritten] = useState('')
  const [state, setState] = useState<ImportStep>({ step: 'writing' })
  const stopped = useRef(false)
  const check = useMutation(api.blocked.check.mutationOptions())
  const bringIn = useMutation(api.blocked.import.mutationOptions())

  useEffect(() => {
    stopped.current = false
    return () => {
      stopped.current = true
    }
  }, [])

  /** False: it was stopped. */
  async function eachBatch(
    doing: ImportAction,
    lines: readonly Line[],
    handle: (batch: Line[]) => Promise<void>,
  ): Promise<boolean> {
    stopped.current = false
    setState({ step: 'working', doing, done: 0, all: lines.length, isStopping: false })
    let done = 0
    for (const batch of batchesOf(lines)) {
      if (stopped.current) return false
      await handle(batch)
      done += batch.length
      setState({ step: 'working', doing, done, all: lines.length, isStopping: stopped.current })
    }
    return true
  }

  async function checkAll(): Promise<void> {
    const good: Line[] = []
    const faulty: FaultyLine[] = []
    const phones = new Set<string>()
    let already = 0
    try {
      const isWhole = await eachBatch('checking', linesOf(written), async (batch) => {
        const answer = await check.mutateAsync({ workspaceId, lines: batch })
        const fine = new Map(answer.good.map((each) => [each.line, each]))
        for (const line of batch) {
          const read = fine.get(line.line)
          if (!read) continue
          good.push(line)
          if (read.blocked || phones.has(read.phone)) already += 1
          phones.add(read.phone)
        }
        faulty.push(...answer.faulty)
      })
      setState(isWhole ? { step: 'checked', good, already, faulty } : { step: 'stopped', doing: 'checking', added: 0 })
    } catch (error) {
      setState({ step: 'stopped', doing: 'checking', added: 0, error })
    }
  }

  /** Faulty lines stay, to be fixed. */
  async function addAll(good: readonly Line[], faulty: FaultyLine[]): Promise<void> {
    let added = 0
    try {
      const isWhole = await eachBatch('importing', good, async (batch) => {
        added += (await bringIn.mutateAsync({ workspaceId, lines: batch })).added
      })
      if (isWhole) setWritten(onlyLines(written, new Set(faulty.map(({ line }) => line))))
      setState(
        isWhole ? { step: 'imported', added, left: faulty.length } : { step: 'stopped', doing: 'importing', added },
      )
    } catch (error) {
      setState({ step: 'stopped', doing: 'importing', added, error })
    }
    await refreshBlocked()
  }

  return {
    written,
    write: setWritten,
    state,
    isBusy: state.step === 'working',
    checkAll,
    addAll,
    stop: (): void => {
      stopped.current = true
      setState((now) => (now.step === 'working' ? { ...now, isStopping: true } : now))
    },
    edit: (): void => setState({ step: 'writing' }),
    forget: (): void => {
      setWritten('')
      setState({ step: 'writing' })
    },
  }
}

export type ImportRun = ReturnType<typeof useImport>
