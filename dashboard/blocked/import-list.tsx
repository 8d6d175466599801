import { Alert, Button, FileButton, Group, Modal, Stack, Table, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/fallback.tsx'
import { ProgressNote } from '../ui/progress.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { type Line, MAX_FILE_BYTES, MAX_LINES, batchesOf, linesOf, onlyLines } from './lines.ts'

/** Further faults are not shown; all lines stay. */
const MAX_FAULTS_SHOWN = 100

/** The dialog stays open while it works: closed, the import would continue unseen. */
export function ImportList({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t, n } = useTexts()
  const run = useImport()
  const { written, state, isBusy } = run
  const lines = linesOf(written)
  const end = (): void => {
    run.forget()
    onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={isBusy ? () => {} : end}
      withCloseButton={!isBusy}
      closeOnClickOutside={false}
      title={t('page_blocked.import')}
      size="xl"
    >
      {state.step === 'working' ? (
        <ProgressNote
          label={t(`page_blocked.${state.doing}`)}
          amount={t('page_blocked.done', { part: n(state.done), all: n(state.all) })}
          done={state.done}
          all={state.all}
          isStopping={state.isStopping}
          page="page_blocked"
          onStop={run.stop}
        />
      ) : state.step === 'checked' ? (
        <CheckedLines checked={state} lines={lines} onFix={run.edit} onAdd={run.addAll} />
      ) : (
        <Stack>
          {state.step === 'stopped' && <Stopped state={state} />}
          {state.step === 'imported' && <Note added={state.added} left={state.left} />}
          <Writing
            written={written}
            lines={lines}
            onWrite={run.write}
            onCheck={() => void run.checkAll()}
            onClose={end}
          />
        </Stack>
      )}
    </Modal>
  )
}

type At<Step extends ImportStep['step']> = Extract<ImportStep, { step: Step }>

type CheckedLinesProps = {
  checked: At<'checked'>
  lines: readonly Line[]
  onFix: () => void
  onAdd: ImportRun['addAll']
}

function CheckedLines({ checked: { good, already, faulty }, lines, onFix, onAdd }: CheckedLinesProps) {
  const { t } = useTexts()
  return (
    <Stack>
      <div role="status">
        <Text>{t('page_blocked.good', { count: good.length })}</Text>
        {already > 0 && <Text>{t('page_blocked.already', { count: already })}</Text>}
      </div>
      <Faults faulty={faulty} lines={lines} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onFix}>
          {t('page_blocked.fix_first')}
        </Button>
        {good.length > already && (
          <Button onClick={() => void onAdd(good, faulty)}>
            {t('page_blocked.add_good', { count: good.length - already })}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Stopped({ state: { doing, added, error } }: { state: At<'stopped'> }) {
  const { t } = useTexts()
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      <Alert color="warning" role="status">
        <Text size="sm">
          {doing === 'checking' ? t('page_blocked.stopped_checking') : t('page_blocked.stopped', { count: added })}
        </Text>
      </Alert>
    </>
  )
}

type WritingProps = {
  written: string
  lines: readonly Line[]
  onWrite: (text: string) => void
  onCheck: () => void
  onClose: () => void
}

function Writing({ written, lines, onWrite, onCheck, onClose }: WritingProps) {
  const { t, n } = useTexts()
  const [tooLarge, setTooLarge] = useState(false)
  const readFile = async (file: File | null): Promise<void> => {
    if (!file) return
    setTooLarge(file.size > MAX_FILE_BYTES)
    if (file.size <= MAX_FILE_BYTES) onWrite(await file.text())
  }
  return (
    <>
      <Text size="sm">{t('page_blocked.import_about')}</Text>
      <Textarea
        label={t('page_blocked.import_text')}
        placeholder={t('page_blocked.import_placeholder')}
        value={written}
        onChange={(event) => onWrite(event.currentTarget.value)}
        rows={10}
        dir="ltr"
        data-autofocus
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        error={
          lines.length > MAX_LINES
            ? t('page_blocked.too_many', { max: n(MAX_LINES) })
            : tooLarge
              ? t('page_blocked.too_large')
              : undefined
        }
      />
      <Group justify="space-between">
        <FileButton accept=".csv,.txt,.tsv,text/csv,text/plain" onChange={(file) => void readFile(file)}>
          {(props) => (
            <Button variant="default" {...props}>
              {t('page_blocked.file')}
            </Button>
          )}
        </FileButton>
        <Group gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('page_blocked.close')}
          </Button>
          <Button disabled={lines.length === 0 || lines.length > MAX_LINES} onClick={onCheck}>
            {t('page_blocked.check')}
          </Button>
        </Group>
      </Group>
    </>
  )
}

function Note({ added, left }: { added: number; left: number }) {
  const { t } = useTexts()
  return (
    <Alert color={left > 0 ? 'warning' : 'success'} role="status">
      <Text size="sm">{t('page_blocked.added', { count: added })}</Text>
      {left > 0 && <Text size="sm">{t('page_blocked.left_behind', { count: left })}</Text>}
    </Alert>
  )
}

function Faults({ faulty, lines }: { faulty: readonly FaultyLine[]; lines: readonly Line[] }) {
  const { t } = useTexts()
  if (faulty.length === 0) return null
  const written = new Map(lines.map((line) => [line.line, line.phone]))
  const more = faulty.length - MAX_FAULTS_SHOWN
  return (
    <Stack gap="xs">
      <Text fw={600}>{t('page_blocked.bad', { count: faulty.length })}</Text>
      <Table.ScrollContainer minWidth={280} maxHeight={320}>
        <Table aria-label={t('page_blocked.bad', { count: faulty.length })}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('page_blocked.line')}</Table.Th>
              <Table.Th scope="col">{t('page_blocked.phone')}</Table.Th>
              <Table.Th scope="col">{t('page_blocked.wrong')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {faulty.slice(0, MAX_FAULTS_SHOWN).map((fault) => (
              <Table.Tr key={fault.line}>
                <Table.Td>{fault.line}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <bdi>{written.get(fault.line)}</bdi>
                </Table.Td>
                <Table.Td>
                  {fault.fault === 'not_international' ? (
                    <>
                      {t('page_blocked.not_international')}{' '}
                      {fault.suggestion !== null && (
                        <>
                          {t('page_blocked.is_meant')} <span className="as-typed">{fault.suggestion}</span>
                        </>
                      )}
                    </>
                  ) : (
                    t(`page_blocked.faults_${fault.fault}`)
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {more > 0 && <Text size="sm">{t('page_blocked.more_bad', { count: more })}</Text>}
    </Stack>
  )
}

type FaultyLine = RouterOutputs['blocked']['check']['faulty'][number]

export const refreshBlocked = (): Promise<void> => queryClient.invalidateQueries({ queryKey: api.blocked.pathKey() })

type ImportAction = 'checking' | 'importing'

/** The state of an import. Nothing is added before the lines are checked and the import is confirmed. */
type ImportStep =
  | { step: 'writing' }
  | { step: 'working'; doing: ImportAction; done: number; all: number; isStopping: boolean }
  | { step: 'checked'; good: Line[]; already: number; faulty: FaultyLine[] }
  | { step: 'stopped'; doing: ImportAction; added: number; error?: unknown }
  | { step: 'imported'; added: number; left: number }

/** Checks and adds lines batch by batch. It stops with the page, and what was added stays added. */
function useImport() {
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

  /** Returns false if it was stopped. */
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
      const isComplete = await eachBatch('checking', linesOf(written), async (batch) => {
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
      setState(
        isComplete ? { step: 'checked', good, already, faulty } : { step: 'stopped', doing: 'checking', added: 0 },
      )
    } catch (error) {
      setState({ step: 'stopped', doing: 'checking', added: 0, error })
    }
  }

  /** Lines with faults stay in the field, so that the user can correct them. */
  async function addAll(good: readonly Line[], faulty: FaultyLine[]): Promise<void> {
    let added = 0
    try {
      const isComplete = await eachBatch('importing', good, async (batch) => {
        added += (await bringIn.mutateAsync({ workspaceId, lines: batch })).added
      })
      if (isComplete) setWritten(onlyLines(written, new Set(faulty.map(({ line }) => line))))
      setState(
        isComplete ? { step: 'imported', added, left: faulty.length } : { step: 'stopped', doing: 'importing', added },
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

type ImportRun = ReturnType<typeof useImport>
