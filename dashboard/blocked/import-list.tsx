import { Alert, Button, FileButton, Group, Modal, Stack, Table, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { Failed } from '../ui/failed.tsx'
import { Running } from '../ui/running.tsx'
import { useWords } from '../words.ts'
import { FILE_BYTES_MOST, LINES_MOST, type Line, linesOf } from './lines.ts'
import { type Faulty, type ImportRun, type ImportStep, useImport } from './use-import.ts'
import { blockedWords } from './words.ts'

/** As many as anybody reads; the lines themselves all stay. */
const FAULTS_SHOWN_MOST = 100

/** While it works its window stays: closed, it would go on unseen. */
export function ImportList({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const text = useWords(blockedWords)
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
      title={text.import}
      size="xl"
    >
      {state.step === 'working' ? (
        <Running
          label={text[state.doing]}
          amount={text.done(state.done, state.all)}
          done={state.done}
          all={state.all}
          isStopping={state.isStopping}
          words={text}
          onStop={run.stop}
        />
      ) : state.step === 'checked' ? (
        <Checked checked={state} lines={lines} onFix={run.mend} onAdd={run.addAll} />
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

function Checked({
  checked: { good, already, faulty },
  lines,
  onFix,
  onAdd,
}: {
  checked: At<'checked'>
  lines: readonly Line[]
  onFix: () => void
  onAdd: ImportRun['addAll']
}) {
  const text = useWords(blockedWords)
  return (
    <Stack>
      <div role="status">
        <Text>{text.good(good.length)}</Text>
        {already > 0 && <Text>{text.already(already)}</Text>}
      </div>
      <Faults faulty={faulty} lines={lines} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onFix}>
          {text.fixFirst}
        </Button>
        {good.length > already && (
          <Button onClick={() => void onAdd(good, faulty)}>{text.addGood(good.length - already)}</Button>
        )}
      </Group>
    </Stack>
  )
}

/** What was done before it stopped, and that it stays. */
function Stopped({ state: { doing, added, error } }: { state: At<'stopped'> }) {
  const text = useWords(blockedWords)
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      <Alert color="yellow" role="status">
        <Text size="sm">{doing === 'checking' ? text.stoppedChecking : text.stopped(added)}</Text>
      </Alert>
    </>
  )
}

function Writing({
  written,
  lines,
  onWrite,
  onCheck,
  onClose,
}: {
  written: string
  lines: readonly Line[]
  onWrite: (text: string) => void
  onCheck: () => void
  onClose: () => void
}) {
  const text = useWords(blockedWords)
  const [tooLarge, setTooLarge] = useState(false)
  const readFile = async (file: File | null): Promise<void> => {
    if (!file) return
    setTooLarge(file.size > FILE_BYTES_MOST)
    if (file.size <= FILE_BYTES_MOST) onWrite(await file.text())
  }
  return (
    <>
      <Text size="sm">{text.importAbout}</Text>
      <Textarea
        label={text.importText}
        placeholder={text.importPlaceholder}
        value={written}
        onChange={(event) => onWrite(event.currentTarget.value)}
        rows={10}
        dir="ltr"
        data-autofocus
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
          <Button variant="default" onClick={onClose}>
            {text.close}
          </Button>
          <Button disabled={lines.length === 0 || lines.length > LINES_MOST} onClick={onCheck}>
            {text.check}
          </Button>
        </Group>
      </Group>
    </>
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
