import { Alert, Grid, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { SettingsChange } from '../../src/cod/settings-changes.ts'
import { type Answers, api, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { Leaving } from '../ui/leaving.tsx'
import { Page } from '../ui/page.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { Changes } from './changes.tsx'
import classes from './cod-settings.module.css'
import { documentOf } from './draft.ts'
import { type Editing, type Stored, editingOf, isUnsaved, useEditing } from './editing.ts'
import { FormContext, focusOn } from './form.ts'
import { General } from './general.tsx'
import { Languages } from './languages.tsx'
import { Overtaken } from './overtaken.tsx'
import { PhonePreview } from './preview.tsx'
import { ReadOnly } from './read-only.tsx'
import { SaveBar } from './save-bar.tsx'
import { Start } from './start.tsx'
import { codWords } from './words.ts'

type Known = Answers['codSettings']['get']

export function CodSettings() {
  const { workspaceId } = useWorkspace()
  return <OfWorkspace key={workspaceId} workspaceId={workspaceId} />
}

function OfWorkspace({ workspaceId }: { workspaceId: string }) {
  const text = useWords(codWords)
  const may = useMay()
  const { data: known } = useSuspenseQuery(api.codSettings.get.queryOptions({ workspaceId }))
  const [editing, edit] = useEditing(workspaceId, known.stored)
  return (
    <Page title={text.title} about={text.about}>
      {!may.change && <Alert color="blue">{text.readOnly}</Alert>}
      {editing ? (
        <Editor known={known} editing={editing} onEdit={edit} />
      ) : (
        may.change && <Start known={known} onStart={(draft) => edit({ draft, base: null })} />
      )}
    </Page>
  )
}

const TRY_OUT_AFTER_MS = 300

type Tried = Answers['codSettings']['tryOut'] & { code: string | null }
type Editable = { known: Known; editing: Editing; onEdit: (editing: Editing | undefined) => void }

function Editor({ known, editing, onEdit }: Editable) {
  const text = useWords(codWords)
  const may = useMay()
  const { workspaceId } = useWorkspace()
  const { draft, base } = editing
  const [chosen, choose] = useState<string>()
  const [saved, tellSaved] = useState<readonly SettingsChange[]>()
  const outcome = useRef<HTMLDivElement>(null)
  const mustBeSeen = useRef(false)
  const codes = Object.keys(draft.languages)
  const code = chosen !== undefined && codes.includes(chosen) ? chosen : codes[0]
  const { tried, setFaults, failed } = useTryingOut(editing, code)
  const faults = tried?.faults ?? []
  const unsaved = may.change && isUnsaved(editing)
  const overtakenBy = known.stored && known.stored.updatedAt !== base?.updatedAt ? known.stored : undefined

  const goTo = (pointer: string): void => {
    const [, part, language] = pointer.split('/')
    if (part === 'languages' && language !== undefined) flushSync(() => choose(language))
    focusOn(pointer)
  }
  const store = (stored: Stored | null): void => {
    queries.setQueryData(api.codSettings.get.queryKey({ workspaceId }), (before) => before && { ...before, stored })
  }
  const save = useMutation(
    api.codSettings.save.mutationOptions({
      onSuccess(answer) {
        switch (answer.outcome) {
          case 'saved': {
            const stored = { settings: answer.settings, updatedAt: answer.updatedAt }
            store(stored)
            onEdit(editingOf(stored))
            tellSaved(answer.changes)
            mustBeSeen.current = true
            void queries.invalidateQueries({ queryKey: api.session.current.queryKey() }) // it names the delivery zone
            return
          }
          case 'faulty':
            setFaults(answer.faults)
            if (answer.faults[0]) goTo(answer.faults[0].pointer)
            return
          case 'overtaken':
            store(answer.stored)
            mustBeSeen.current = true
        }
      },
    }),
  )
  useEffect(() => {
    if (overtakenBy && !unsaved) onEdit(editingOf(overtakenBy))
  }, [overtakenBy, unsaved, onEdit])
  useEffect(() => {
    if (!mustBeSeen.current || !outcome.current?.hasChildNodes()) return
    mustBeSeen.current = false
    outcome.current.focus()
  })

  const change = (changed: Editing['draft']): void => {
    tellSaved(undefined)
    onEdit({ draft: changed, base })
  }
  const discard = (): void => onEdit(known.stored ? editingOf(known.stored) : undefined)

  return (
    <FormContext value={{ limits: known.limits, faults }}>
      <Leaving loses={unsaved} words={text} onLose={discard} />
      <Stack gap="lg">
        <div ref={outcome} tabIndex={-1} className={classes['outcome']}>
          {overtakenBy && unsaved && <Overtaken editing={editing} by={overtakenBy} onResolve={onEdit} />}
          {saved && <Saved changes={saved} />}
        </div>
        <Stack gap="xl">
          <ReadOnly when={!may.change}>
            <General draft={draft} onChange={change} weekdays={known.weekdays} />
          </ReadOnly>
          <section>
            <Title order={2} size="h4">
              {text.languages}
            </Title>
            <Text size="sm" c="dimmed" mb="sm" maw={720}>
              {text.languagesAbout}
            </Text>
            <Grid gap="lg">
              <Grid.Col span={{ base: 12, md: 7 }}>
                <Languages
                  draft={draft}
                  onChange={change}
                  code={code}
                  onChoose={choose}
                  known={known}
                  mayChange={may.change}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 5 }}>
                {code !== undefined && draft.languages[code] && (
                  <PhonePreview
                    code={code}
                    language={draft.languages[code]}
                    preview={(tried?.code === code && tried.preview) || undefined}
                    failed={failed}
                  />
                )}
              </Grid.Col>
            </Grid>
          </section>
        </Stack>
        {save.error && <Failed error={save.error} />}
        {may.change && (
          <SaveBar
            unsaved={unsaved}
            faults={faults}
            saving={save.isPending}
            onGoTo={goTo}
            onDiscard={discard}
            onSave={() =>
              save.mutate({ workspaceId, settings: documentOf(draft), basedOn: base === null ? null : base.updatedAt })
            }
          />
        )}
      </Stack>
    </FormContext>
  )
}

/** Asks the server what it thinks of the draft, a moment after the last key. It stays as it was when no answer comes. */
function useTryingOut({ draft }: Editing, code: string | undefined) {
  const { workspaceId } = useWorkspace()
  const [tried, setTried] = useState<Tried>()
  const document = useMemo(() => documentOf(draft), [draft])
  const [settled] = useDebouncedValue(document, TRY_OUT_AFTER_MS)
  const { mutate, isError } = useMutation(api.codSettings.tryOut.mutationOptions())
  useEffect(() => {
    const language = code ?? null
    mutate(
      { workspaceId, settings: settled, language },
      { onSuccess: (answer) => setTried({ ...answer, code: language }) },
    )
  }, [workspaceId, settled, code, mutate])
  const setFaults = (faults: Tried['faults']): void => setTried({ preview: null, code: null, ...tried, faults })
  return { tried, setFaults, failed: isError }
}

function Saved({ changes }: { changes: readonly SettingsChange[] }) {
  const text = useWords(codWords)
  return (
    <Alert color="teal" role="status" title={changes.length > 0 ? text.savedTitle : text.savedNothing}>
      <Changes changes={changes} />
    </Alert>
  )
}
