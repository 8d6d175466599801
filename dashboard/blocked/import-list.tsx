import { Alert, Button, FileButton, Group, Progress, Stack, Table, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answers, api } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { forgetBlocked } from './block-number.tsx'
import { FILE_BYTES_MOST, LINES_MOST, type Line, batchesOf, linesOf, onlyLines } from './lines.ts'
import { blockedWords } from './words.ts'

type Faulty = Answers['blocked']['check']['faulty'][number]

/** Where an import stands. Nothing is added before the lines were checked and somebody said so. */
type Step =
  | { step: 'writing'; note: { added: number; left: number } | null }
  | { step: 'working'; doing: 'checking' | 'importing'; done: number; all: number }
  | { step: 'checked'; good: Line[]; already: number; faulty: Faulty[] }
  | { step: 'stopped'; error: unknown }

/** As many as anybody reads; the lines themselves all stay. */
const FAULTS_SHOWN_MOST = 100

export function ImportList({ onDone }: { onDone: () => void }) {
  const text = useWords(blockedWords)
  const { workspaceId } = useWorkspace()
  const [written, setWritten] = useState('')
  const [tooLarge, setTooLarge] = useState(false)
  const [state, setState] = useState<Step>({ step: 'writing', note: null })
  const check = useMutation(api.blocked.check.mutationOptions())
  const bringIn = useMutation(api.blocked.import.mutationOptions())
  const lines = linesOf(written)

  const checkAll = async (): Promise<void> => {
    const good: Line[] = []
    const faulty: Faulty[] = []
    const phones = new Set<string>()
    let already = 0
    let done = 0
    try {
      for (const batch of batchesOf(lines)) {
        setState({ step: 'working', doing: 'checking', done, all: lines.length })
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
        done += batch.length
      }
      setState({ step: 'checked', good, already, faulty })
    } catch (error) {
      setState({ step: 'stopped', error })
    }
  }

  const addAll = async (good: readonly Line[], faulty: readonly Faulty[]): Promise<void> => {
    let added = 0
    let done = 0
    try {
      for (const batch of batchesOf(good)) {
        setState({ step: 'working', doing: 'importing', done, all: good.length })
        added += (await bringIn.mutateAsync({ workspaceId, lines: batch })).added
        done += batch.length
      }
      setWritten(onlyLines(written, new Set(faulty.map(({ line }) => line))))
      setState({ step: 'writing', note: { added, left: faulty.length } })
    } catch (error) {
      setState({ step: 'stopped', error })
    }
    await forgetBlocked()
  }

  const readFile = async (file: File | null): Promise<void> => {
    if (!file) return
    setTooLarge(file.size > FILE_BYTES_MOST)
    if (file.size <= FILE_BYTES_MOST) setWritten(await file.text())
  }

  if (state.step === 'working') {
    const { done, all } = state
    return (
      <Stack role="status">
        <Text>{state.doing === 'checking' ? text.checking : text.importing}</Text>
        <Progress.Root size="lg">
          <Progress.Section value={(done / all) * 100} aria-label={text[state.doing]} />
        </Progress.Root>
        <Text size="sm">{text.done(done, all)}</Text>
      </Stack>
    )
  }
  if (state.step === 'checked') {
    const { good, already, faulty } = state
    return (
      <Stack>
        <div>
          <Text>{text.good(good.length)}</Text>
          {already > 0 && <Text>{text.already(already)}</Text>}
        </div>
        <Faults faulty={faulty} lines={lines} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setState({ step: 'writing', note: null })}>
            {text.fixFirst}
          </Button>
          {good.length > already && (
            <Button onClick={() => void addAll(good, faulty)}>{text.addGood(good.length - already)}</Button>
          )}
        </Group>
      </Stack>
    )
  }
  return (
    <Stack>
      {state.step === 'stopped' && (
        <>
          <Failed error={state.error} />
          <Text size="sm">{text.stopped}</Text>
        </>
      )}
      {state.step === 'writing' && state.note && <Note {...state.note} />}
      <Text size="sm">{text.importAbout}</Text>
      <Textarea
        label={text.importText}
        placeholder={text.importPlaceholder}
        value={written}
        onChange={(event) => setWritten(event.currentTarget.value)}
        rows={10}
        dir="ltr"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        error={lines.length > LINES_MOST ? text.tooMany(LINES_MOST) : tooLarge ? text.tooLarge : undefined}
      />
      <Group justify="space-between">
        <FileButton accept=".csv,.txt,.tsv,text/csv,text/plain" onChange={(file) => void readFile(file)}>
          {(props) => (
            <Button variant="default" {...props}>
              {text.file}
            </Button>
          )}
        </FileButton>
        <Group gap="xs">
          <Button variant="default" onClick={onDone}>
            {text.close}
          </Button>
          <Button disabled={lines.length === 0 || lines.length > LINES_MOST} onClick={() => void checkAll()}>
            {text.check}
          </Button>
        </Group>
      </Group>
    </Stack>
  )
}

function Note({ added, left }: { added: number; left: number }) {
  const text = useWords(blockedWords)
  return (
    <Alert color={left > 0 ? 'yellow' : 'teal'} role="status">
      <Text size="sm">{text.added(added)}</Text>
      {left > 0 && <Text size="sm">{text.leftBehind(left)}</Text>}
    </Alert>
  )
}

function Faults({ faulty, lines }: { faulty: readonly Faulty[]; lines: readonly Line[] }) {
  const text = useWords(blockedWords)
  if (faulty.length === 0) return null
  const written = new Map(lines.map((line) => [line.line, line.phone]))
  const more = faulty.length - FAULTS_SHOWN_MOST
  return (
    <Stack gap="xs">
      <Text fw={600}>{text.bad(faulty.length)}</Text>
      <Table.ScrollContainer minWidth={280} maxHeight={320}>
        <Table aria-label={text.bad(faulty.length)}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{text.line}</Table.Th>
              <Table.Th scope="col">{text.phone}</Table.Th>
              <Table.Th scope="col">{text.wrong}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {faulty.slice(0, FAULTS_SHOWN_MOST).map((fault) => (
              <Table.Tr key={fault.line}>
                <Table.Td>{fault.line}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <bdi>{written.get(fault.line)}</bdi>
                </Table.Td>
                <Table.Td>
                  {fault.fault === 'not_international' ? (
                    <>
                      {text.notInternational}{' '}
                      {fault.meant !== null && (
                        <>
                          {text.isMeant} <span className="as-typed">{fault.meant}</span>
                        </>
                      )}
                    </>
                  ) : (
                    text.faults[fault.fault]
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {more > 0 && <Text size="sm">{text.moreBad(more)}</Text>}
    </Stack>
  )
}
