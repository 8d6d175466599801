import { Alert, Grid, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { SettingsChange } from '../../src/cod/settings/settings-changes.ts'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/failed.tsx'
import { Leaving } from '../ui/shell/leaving.tsx'
import { Page } from '../ui/shell/page.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { Changes } from './draft/changes.tsx'
import classes from './cod-settings.module.css'
import { documentOf } from './draft/draft.ts'
import { type Editing, type Stored, editingOf, isUnsaved, useEditing } from './draft/editing.ts'
import { FormContext, focusOn } from './draft/form.ts'
import { General } from './general.tsx'
import { Languages } from './languages.tsx'
import { EditConflict } from './draft/edit-conflict.tsx'
import { PhonePreview } from './preview.tsx'
import { ReadOnly } from './read-only.tsx'
import { SaveBar } from './draft/save-bar.tsx'
import { Start } from './start.tsx'

type Known = RouterOutputs['codSettings']['get']

export function CodSettings() {
  const { workspaceId } = useWorkspace()
  return <OfWorkspace key={workspaceId} workspaceId={workspaceId} />
}

function OfWorkspace({ workspaceId }: { workspaceId: string }) {
  const { t } = useTexts()
  const may = usePermissions()
  const { data: known } = useSuspenseQuery(api.codSettings.get.queryOptions({ workspaceId }))
  const [editing, edit] = useEditing(workspaceId, known.stored)
  return (
    <Page title={t('page_cod_settings.title')} about={t('page_cod_settings.about')}>
      {!may.change && <Alert color="blue">{t('page_cod_settings.read_only')}</Alert>}
      {editing ? (
        <Editor known={known} editing={editing} onEdit={edit} />
      ) : (
        may.change && <Start known={known} onStart={(draft) => edit({ draft, base: null })} />
      )}
    </Page>
  )
}

const CHECK_DELAY_MS = 300

type Tried = RouterOutputs['codSettings']['tryOut'] & { code: string | null }
type Editable = { known: Known; editing: Editing; onEdit: (editing: Editing | undefined) => void }

function Editor({ known, editing, onEdit }: Editable) {
  const { t } = useTexts()
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const { draft, base } = editing
  const [chosen, choose] = useState<string>()
  const [saved, tellSaved] = useState<readonly SettingsChange[]>()
  const outcome = useRef<HTMLDivElement>(null)
  const mustBeSeen = useRef(false)
  const codes = Object.keys(draft.languages)
  const code = chosen !== undefined && codes.includes(chosen) ? chosen : codes[0]
  const { tried, setFaults, failed } = useDraftCheck(editing, code)
  const faults = tried?.faults ?? []
  const unsaved = may.change && isUnsaved(editing)
  const conflict = known.stored && known.stored.updatedAt !== base?.updatedAt ? known.stored : undefined

  const goTo = (pointer: string): void => {
    const [, part, language] = pointer.split('/')
    if (part === 'languages' && language !== undefined) flushSync(() => choose(language))
    focusOn(pointer)
  }
  const store = (stored: Stored | null): void => {
    queryClient.setQueryData(api.codSettings.get.queryKey({ workspaceId }), (before) => before && { ...before, stored })
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
            void queryClient.invalidateQueries({ queryKey: api.session.current.queryKey() }) // it names the delivery zone
            return
          }
          case 'faulty':
            setFaults(answer.faults)
            if (answer.faults[0]) goTo(answer.faults[0].pointer)
            return
          case 'conflict':
            store(answer.stored)
            mustBeSeen.current = true
        }
      },
    }),
  )
  useEffect(() => {
    if (conflict && !unsaved) onEdit(editingOf(conflict))
  }, [conflict, unsaved, onEdit])
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
      <Leaving loses={unsaved} page="page_cod_settings" onLose={discard} />
      <Stack gap="lg">
        <div ref={outcome} tabIndex={-1} className={classes['outcome']}>
          {conflict && unsaved && <EditConflict editing={editing} by={conflict} onResolve={onEdit} />}
          {saved && <Saved changes={saved} />}
        </div>
        <Stack gap="xl">
          <ReadOnly when={!may.change}>
            <General draft={draft} onChange={change} weekdays={known.weekdays} />
          </ReadOnly>
          <section>
            <Title order={2} size="h4">
              {t('page_cod_settings.languages')}
            </Title>
            <Text size="sm" c="dimmed" mb="sm" maw={720}>
              {t('page_cod_settings.languages_about')}
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

/** Checks the draft on the server shortly after the last key. Keeps the last result when no answer comes. */
function useDraftCheck({ draft }: Editing, code: string | undefined) {
  const { workspaceId } = useWorkspace()
  const [tried, setTried] = useState<Tried>()
  const document = useMemo(() => documentOf(draft), [draft])
  const [settled] = useDebouncedValue(document, CHECK_DELAY_MS)
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
  const { t } = useTexts()
  return (
    <Alert
      color="teal"
      role="status"
      title={changes.length > 0 ? t('page_cod_settings.saved_title') : t('page_cod_settings.saved_nothing')}
    >
      <Changes changes={changes} />
    </Alert>
  )
}
