import { z } from 'zod'
import { listAccounts } from '../../accounts/accounts.ts'
import { obstacleText } from '../../accounts/availability.ts'
import { listSenders } from '../../accounts/senders.ts'
import { listStoredTemplates } from '../../accounts/templates/stored.ts'
import { listUsage } from '../../charts/usage.ts'
import { findStoredSettings } from '../../cod/settings/settings-store.ts'
import { hostOf } from '../../operations/doctor/setup.ts'
import { keyState, listKeys } from '../../workspaces/keys/manage-keys.ts'
import { findWorkspaceTime } from '../../workspaces/workspace-time.ts'
import { getWorkspace } from '../../workspaces/workspaces.ts'
import { listEndpoints } from '../../webhooks/endpoints.ts'
import { sentence, shortened, tool } from './tool.ts'

/** Of each list. */
const MAX_LISTED = 50

const listed = <Each, Shown>(all: readonly Each[], show: (each: Each) => Shown) => ({
  items: all.slice(0, MAX_LISTED).map(show),
  leftOut: Math.max(0, all.length - MAX_LISTED),
})

export const settings = tool({
  name: 'settings',
  title: 'Read settings',
  description:
    'What the workspace is set up with: its kind, the address of its API, quotas and their use, WhatsApp accounts, senders and templates with what each can be used for, webhook endpoints, API keys (never the keys themselves) and the settings of cash-on-delivery conversations.',
  input: z.strictObject({
    language: z
      .string()
      .max(20)
      .nullable()
      .default(null)
      .meta({ description: 'Also shows the texts of cash-on-delivery conversations in this language, such as ar.' }),
  }),
  writes: false,
  async run({ operator: { db, config, clock }, figures, workspaceId }, { language }) {
    const now = clock.now()
    const shownNow = (await findWorkspaceTime(db, workspaceId)).at(now)
    const clockOffsetMs = shownNow.getTime() - now.getTime()
    const [workspace, usage, accounts, senders, { templates, next }, endpoints, keys, cod] = await Promise.all([
      getWorkspace(db, workspaceId),
      listUsage(figures, { workspaceId, now: shownNow, clockOffsetMs }),
      listAccounts(db, workspaceId),
      listSenders(db, workspaceId),
      listStoredTemplates(figures, { workspaceId }),
      listEndpoints(db, workspaceId),
      listKeys(db, workspaceId),
      findStoredSettings(db, workspaceId),
    ])
    return {
      workspace: { ...workspace, now: shownNow },
      apiUrl: `${config.publicUrl}/api/v1`,
      quotas: usage.map(({ kind, monthlyUnits, used }) => ({ kind, monthlyUnits, used })),
      accounts: listed(accounts, ({ accountId, wabaId, status, statusDetail, syncedAt }) => ({
        accountId,
        wabaId,
        status,
        detail: statusDetail && sentence(statusDetail),
        syncedAt,
      })),
      senders: listed(senders, ({ senderId, accountId, phoneNumber, verifiedName, status, quality, obstacle }) => ({
        senderId,
        accountId,
        phoneNumber,
        verifiedName,
        status,
        quality,
        obstacle: obstacle && sentence(obstacleText(obstacle, status)),
      })),
      templates: {
        items: templates.map(({ accountId, name, language, status, category, verdicts, likely, text }) => ({
          accountId,
          name,
          language,
          status,
          category,
          usableFor: Object.entries(verdicts).flatMap(([use, reason]) => (reason === null ? [use] : [])),
          whyNot: verdicts[likely] && sentence(verdicts[likely]),
          text: shortened(text),
        })),
        hasMore: next !== null,
      },
      endpoints: listed(
        endpoints,
        ({ endpointId, url, description, eventTypes, status, statusReason, failingSince }) => ({
          endpointId,
          host: hostOf(url),
          description,
          eventTypes,
          status,
          reason: statusReason && sentence(statusReason),
          failingSince,
        }),
      ),
      keys: listed(keys, ({ publicId, name, lastUsedAt, expiresAt, revokedAt }) => ({
        publicId,
        name,
        state: keyState({ expiresAt, revokedAt }, now),
        lastUsedAt,
        expiresAt,
      })),
      cod: cod ? codOf(cod.settings, language) : null,
    }
  },
})

/** With the names of its languages; the texts of two hundred would be too long. */
function codOf<Settings extends { languages: Readonly<Record<string, unknown>> }>(
  { languages, ...rest }: Settings,
  language: string | null,
) {
  const texts = language !== null && Object.hasOwn(languages, language) ? { texts: languages[language] } : {}
  return { ...rest, languages: Object.keys(languages), ...texts }
}
