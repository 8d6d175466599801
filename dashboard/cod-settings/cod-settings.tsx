import { Alert, Grid, Stack, Tabs, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type SettingsChange, diffSettings } from '../../src/cod/settings/settings-changes.ts'
import type { SettingsFault } from '../../src/cod/settings/settings.ts'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Leaving } from '../ui/dialog/confirm-dialog.tsx'
import { Failed } from '../ui/fallback.tsx'
import { ErrorSummary } from '../ui/form/form-errors.tsx'
import { Page } from '../ui/shell/page.tsx'
import { NotUndone, showUndo } from '../ui/undo.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import classes from './cod-settings.module.css'
import { Deliveries } from './deliveries.tsx'
import {
  type Editing,
  type StoredSettings,
  documentOf,
  draftOf,
  editingOf,
  isChanged,
  isUnsaved,
  useEditing,
} from './draft.ts'
import { ReadOnly, TabMark } from './fields.tsx'
import { FormContext, faultOfPage, focusOn } from './form.ts'
import { Languages } from './languages.tsx'
import { PhonePreview } from './preview.tsx'
import { Reminders } from './reminders.tsx'
import { Changes, EditConflict, SaveBar } from './saving.tsx'
import { TOPICS, type Topic, topicOf } from './search.ts'
import { Start } from './start.tsx'

type CodSettingsData = RouterOutputs['codSettings']['get']

export function CodSettings() {
  const { workspaceId } = useWorkspace()
  return <OfWorkspace key={workspaceId} workspaceId={workspaceId} />
}

function OfWorkspace({ workspaceId }: { workspaceId: string }) {
  const { t } = useTexts()
  const may = usePermissions()
  const { data: known } = useSuspenseQuery(pageQueries.codSettings({ workspaceId }))
  const [editing, edit] = useEditing(workspaceId, known.stored)
  return (
    <Page title={t('page_cod_settings.title')} about={t('page_cod_settings.about')}>
      {!may.change && <Alert color="progress">{t('page_cod_settings.read_only')}</Alert>}
      {editing ? (
        <Editor known={known} editing={editing} onEdit={edit} />
      ) : (
        may.change && <Start known={known} onStart={(draft) => edit({ draft, base: null })} />
      )}
    </Page>
  )
}

const CHECK_DELAY_MS = 300
/** A toast has room for so many. */
const MAX_TOLD = 4

type DraftCheck = RouterOutputs['codSettings']['tryOut'] & { code: string | null }
type SavedAnswer = { changes: readonly SettingsChange[]; updatedAt: string }
type Editable = { known: CodSettingsData; editing: Editing; onEdit: (editing: Editing | undefined) => void }

/** Faults of empty fields: shown only after an attempt to save. */
const EMPTY = new Set<string>(['cod.settings_blank', 'cod.settings_required'])

function Editor({ known, editing, onEdit }: Editable) {
  const texts = useTexts()
  const { t } = texts
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const { draft, base } = editing
  const [tab, openTab] = useTab()
  const [chosen, choose] = useState<string>()
  const [tried, setTried] = useState(false)
  const outcome = useRef<HTMLDivElement>(null)
  const mustBeSeen = useRef(false)
  const codes = Object.keys(draft.languages)
  const code = chosen !== undefined && codes.includes(chosen) ? chosen : codes[0]
  const { checked, setFaults, failed } = useDraftCheck(editing, code)
  const faults = firstOfEach(checked?.faults ?? []).filter(({ detail }) => tried || !EMPTY.has(detail.code))
  const unsaved = may.change && isUnsaved(editing)
  const changed = base && unsaved ? diffSettings(base.settings, documentOf(draft)).map(({ pointer }) => pointer) : []
  const conflict = known.stored && known.stored.updatedAt !== base?.updatedAt ? known.stored : undefined

  const goTo = useGoTo((pointer) => {
    const [, part, language] = pointer.split('/')
    if (part === 'languages' && language !== undefined) choose(language)
    openTab(topicOf(pointer))
  })
  const store = (stored: StoredSettings | null): void => {
    queryClient.setQueryData(api.codSettings.get.queryKey({ workspaceId }), (before) => before && { ...before, stored })
  }
  const { mutateAsync: undo } = useMutation(api.codSettings.save.mutationOptions())
  const save = useMutation(
    api.codSettings.save.mutationOptions({
      onSuccess(answer, sent) {
        switch (answer.outcome) {
          case 'saved': {
            const stored = { settings: answer.settings, updatedAt: answer.updatedAt }
            store(stored)
            const hasNewEdits = isUnsaved({ draft, base }) && isChanged(draft, draftOf(sent.settings))
            onEdit(hasNewEdits ? { draft, base: stored } : editingOf(stored)) // after "discard" the draft is the former settings
            setTried(false)
            tellSaved(base, answer)
            void queryClient.invalidateQueries({ queryKey: api.session.pathKey() }) // it names the delivery zone
            return
          }
          case 'faulty':
            setFaults(answer.faults)
            if (answer.faults.length === 1 && answer.faults[0]) goTo(answer.faults[0].pointer)
            else mustBeSeen.current = true
            return
          case 'conflict':
            store(answer.stored)
            mustBeSeen.current = true
        }
      },
    }),
  )
  /** Undoing saves the settings from before, unless another person has saved since. The first ones replaced none. */
  const tellSaved = (before: StoredSettings | null, { changes, updatedAt }: SavedAnswer): void => {
    if (changes.length === 0) return void notifications.show({ message: t('page_cod_settings.saved_nothing') })
    if (before === null) return void notifications.show({ message: t('page_cod_settings.saved') })
    const message = (
      <FormContext value={{ limits: known.limits, weekdays: known.weekdays, faults: [], changed: [] }}>
        {t('page_cod_settings.saved_title')}
        <Changes changes={changes.slice(0, MAX_TOLD)} />
        {changes.length > MAX_TOLD && '…'}
      </FormContext>
    )
    showUndo(message, async () => {
      const answer = await undo({ workspaceId, settings: before.settings, basedOn: updatedAt })
      if (answer.outcome === 'saved') return store({ settings: answer.settings, updatedAt: answer.updatedAt })
      if (answer.outcome === 'conflict') store(answer.stored)
      throw new NotUndone(t(answer.outcome === 'conflict' ? 'page_cod_settings.not_undone' : 'page_shell.failed_title'))
    })
  }
  useEffect(() => {
    if (conflict && !unsaved) onEdit(editingOf(conflict))
  }, [conflict, unsaved, onEdit])
  useEffect(() => {
    if (!mustBeSeen.current || !outcome.current?.hasChildNodes()) return
    mustBeSeen.current = false
    outcome.current.focus()
  })

  const change = (draft: Editing['draft']): void => {
    onEdit({ draft, base })
  }
  const discard = (): void => {
    setTried(false)
    onEdit(known.stored ? editingOf(known.stored) : undefined)
  }

  return (
    <FormContext value={{ limits: known.limits, weekdays: known.weekdays, faults, changed }}>
      <Leaving loses={unsaved} page="page_cod_settings" onLose={discard} />
      <Stack gap="lg">
        <div ref={outcome} tabIndex={-1} className={classes['outcome']}>
          {conflict && unsaved && <EditConflict editing={editing} by={conflict} onResolve={onEdit} />}
          {tried && faults.length > 0 && (
            <ErrorSummary
              errors={faults.map(({ pointer, detail }) => ({
                path: pointer,
                sentence: faultOfPage(pointer, detail, texts),
                hasField: true,
              }))}
              onGoTo={goTo}
            />
          )}
        </div>
        <Tabs value={tab} onChange={(next) => openTab(next as Topic)} keepMounted={false}>
          <Tabs.List>
            {TOPICS.map((topic) => (
              <Tabs.Tab
                key={topic}
                value={topic}
                rightSection={<TabMark has={(pointer) => topicOf(pointer) === topic} />}
              >
                {t(`page_cod_settings.${topic}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="deliveries" pt="lg">
            <ReadOnly when={!may.change}>
              <Deliveries draft={draft} onChange={change} />
            </ReadOnly>
          </Tabs.Panel>
          <Tabs.Panel value="reminders" pt="lg">
            <ReadOnly when={!may.change}>
              <Reminders draft={draft} onChange={change} />
            </ReadOnly>
          </Tabs.Panel>
          <Tabs.Panel value="texts" pt="lg">
            <Text size="sm" c="dimmed" mb="md" maw={720}>
              {t('page_cod_settings.languages_about')}
            </Text>
            <Grid gap="xl">
              <Grid.Col span={{ base: 12, sm: 7 }} order={{ base: 2, sm: 1 }}>
                <Languages
                  draft={draft}
                  onChange={change}
                  code={code}
                  onChoose={choose}
                  known={known}
                  mayChange={may.change}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 5 }} order={{ base: 1, sm: 2 }} className={classes['preview'] ?? ''}>
                {code !== undefined && draft.languages[code] && (
                  <PhonePreview
                    code={code}
                    language={draft.languages[code]}
                    preview={(checked?.code === code && checked.preview) || undefined}
                    failed={failed}
                  />
                )}
              </Grid.Col>
            </Grid>
          </Tabs.Panel>
        </Tabs>
        {save.error && <Failed error={save.error} />}
        {unsaved && (
          <SaveBar
            errors={faults.length}
            saving={save.isPending}
            onGoToError={() => faults[0] && goTo(faults[0].pointer)}
            onDiscard={discard}
            onSave={() => {
              setTried(true)
              save.mutate({ workspaceId, settings: documentOf(draft), basedOn: base === null ? null : base.updatedAt })
            }}
          />
        )}
      </Stack>
    </FormContext>
  )
}

const PAGE = '/w/$workspaceId/cod-settings'

function useTab(): [Topic, (topic: Topic) => void] {
  const { tab = TOPICS[0] } = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  return [tab, (topic) => void navigate({ search: { tab: topic }, replace: true, resetScroll: false })]
}

/** Focuses a field by its JSON pointer, after `open` has shown it where it is not in sight. */
function useGoTo(open: (pointer: string) => void): (pointer: string) => void {
  const awaited = useRef<string>(undefined)
  useEffect(() => {
    if (awaited.current !== undefined && focusOn(awaited.current)) awaited.current = undefined
  })
  return (pointer) => {
    if (focusOn(pointer)) return
    awaited.current = pointer
    open(pointer)
  }
}

/** A field shows its first fault. */
const firstOfEach = (faults: readonly SettingsFault[]): SettingsFault[] =>
  faults.filter(({ pointer }, index) => faults.findIndex((each) => each.pointer === pointer) === index)

/** Checks the draft on the server shortly after the last key. Keeps the last result when no answer comes. */
function useDraftCheck({ draft }: Editing, code: string | undefined) {
  const { workspaceId } = useWorkspace()
  const [checked, setChecked] = useState<DraftCheck>()
  const document = useMemo(() => documentOf(draft), [draft])
  const [settled] = useDebouncedValue(document, CHECK_DELAY_MS)
  const { mutate, isError } = useMutation(api.codSettings.tryOut.mutationOptions())
  useEffect(() => {
    const language = code ?? null
    mutate(
      { workspaceId, settings: settled, language },
      { onSuccess: (answer) => setChecked({ ...answer, code: language }) },
    )
  }, [workspaceId, settled, code, mutate])
  const setFaults = (faults: DraftCheck['faults']): void =>
    setChecked({ preview: null, code: null, ...checked, faults })
  return { checked, setFaults, failed: isError }
}
