import type { KeyOf } from '../../texts/use-texts.ts'

type Word = KeyOf<'page_shell'>
type Section = { name: Word; to: string; sandboxOnly?: true; adminsOnly?: true; operatorsOnly?: true }

/** The sections of a workspace, in the order in which people need them. */
export const SECTION_GROUPS = [
  {
    name: 'traffic',
    sections: [
      { name: 'overview', to: '/w/$workspaceId/overview' },
      { name: 'messages', to: '/w/$workspaceId/messages' },
      { name: 'confirmations', to: '/w/$workspaceId/confirmations' },
      { name: 'charts', to: '/w/$workspaceId/charts' },
      { name: 'phone', to: '/w/$workspaceId/phone', sandboxOnly: true },
    ],
  },
  {
    name: 'whats_app',
    sections: [
      { name: 'senders', to: '/w/$workspaceId/senders' },
      { name: 'templates', to: '/w/$workspaceId/templates' },
      { name: 'cod_settings', to: '/w/$workspaceId/cod-settings' },
      { name: 'blocked', to: '/w/$workspaceId/blocked' },
    ],
  },
  {
    name: 'backend',
    sections: [
      { name: 'keys', to: '/w/$workspaceId/keys' },
      { name: 'endpoints', to: '/w/$workspaceId/endpoints' },
    ],
  },
  {
    name: 'workspace',
    sections: [
      { name: 'settings', to: '/w/$workspaceId/settings' },
      { name: 'people', to: '/w/$workspaceId/people' },
      { name: 'audit', to: '/w/$workspaceId/audit', adminsOnly: true },
      { name: 'system', to: '/w/$workspaceId/system', operatorsOnly: true },
    ],
  },
] as const satisfies readonly { name: Word; sections: readonly Section[] }[]

export const SECTIONS = SECTION_GROUPS.flatMap(({ sections }) => [...sections])

/** Sections that the workspace has and the person may open. */
export const sectionsOf = ({ sandbox, role, operator }: Opened): (typeof SECTIONS)[number][] =>
  SECTIONS.filter(
    (section) =>
      (sandbox || !('sandboxOnly' in section)) &&
      (role !== 'member' || !('adminsOnly' in section)) &&
      (operator || !('operatorsOnly' in section)),
  )

type Opened = { sandbox: boolean; role: string; operator: boolean }

type SectionPath = (typeof SECTIONS)[number]['to']

/**
 * The same section in another workspace. A page about one message leads to the section, because the other has no such
 * message.
 */
export function sectionIn(path: string, workspace: Opened): SectionPath {
  const [, name] = /\/w\/[^/]+\/([^/]+)/.exec(path) ?? []
  const section = sectionsOf(workspace).find(({ to }) => to === `/w/$workspaceId/${name}`)
  return section?.to ?? '/w/$workspaceId/overview'
}
