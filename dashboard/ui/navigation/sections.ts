import {
  ActivityLogIcon,
  BarChartIcon,
  ChatBubbleIcon,
  CheckCircledIcon,
  CircleBackslashIcon,
  DashboardIcon,
  EnterIcon,
  FileTextIcon,
  GearIcon,
  HeartIcon,
  Link2Icon,
  LockClosedIcon,
  MixerHorizontalIcon,
  MobileIcon,
  PaperPlaneIcon,
  PersonIcon,
  RocketIcon,
} from '@radix-ui/react-icons'
import type { ComponentType } from 'react'
import type { KeyOf } from '../../texts/use-texts.ts'

type Word = KeyOf<'page_shell'>
type Icon = ComponentType<{ 'aria-hidden': 'true'; className: string | undefined }>
type Section = { name: Word; icon: Icon; to: string; sandboxOnly?: true; adminsOnly?: true; operatorsOnly?: true }

/** The sections of a workspace, in the order in which people need them. */
export const SECTION_GROUPS = [
  {
    name: 'traffic',
    sections: [
      { name: 'overview', icon: DashboardIcon, to: '/w/$workspaceId/overview' },
      { name: 'quickstart', icon: RocketIcon, to: '/w/$workspaceId/quickstart', sandboxOnly: true, adminsOnly: true },
      { name: 'messages', icon: ChatBubbleIcon, to: '/w/$workspaceId/messages' },
      { name: 'confirmations', icon: CheckCircledIcon, to: '/w/$workspaceId/confirmations' },
      { name: 'charts', icon: BarChartIcon, to: '/w/$workspaceId/charts' },
      { name: 'phone', icon: MobileIcon, to: '/w/$workspaceId/phone', sandboxOnly: true },
    ],
  },
  {
    name: 'whats_app',
    sections: [
      { name: 'senders', icon: PaperPlaneIcon, to: '/w/$workspaceId/senders' },
      { name: 'templates', icon: FileTextIcon, to: '/w/$workspaceId/templates' },
      { name: 'cod_settings', icon: MixerHorizontalIcon, to: '/w/$workspaceId/cod-settings' },
      { name: 'blocked', icon: CircleBackslashIcon, to: '/w/$workspaceId/blocked' },
    ],
  },
  {
    name: 'backend',
    sections: [
      { name: 'keys', icon: LockClosedIcon, to: '/w/$workspaceId/keys' },
      { name: 'hooks', icon: EnterIcon, to: '/w/$workspaceId/hooks' },
      { name: 'endpoints', icon: Link2Icon, to: '/w/$workspaceId/endpoints' },
    ],
  },
  {
    name: 'workspace',
    sections: [
      { name: 'settings', icon: GearIcon, to: '/w/$workspaceId/settings' },
      { name: 'people', icon: PersonIcon, to: '/w/$workspaceId/people' },
      { name: 'audit', icon: ActivityLogIcon, to: '/w/$workspaceId/audit', adminsOnly: true },
      { name: 'system', icon: HeartIcon, to: '/w/$workspaceId/system', operatorsOnly: true },
    ],
  },
] as const satisfies readonly { name: Word; sections: readonly Section[] }[]

export const SECTIONS = SECTION_GROUPS.flatMap(({ sections }) => [...sections])

export type SectionName = (typeof SECTIONS)[number]['name']

const icons = new Map<SectionName, Icon>(SECTIONS.map(({ name, icon }) => [name, icon]))
export const iconOf = (section: SectionName): Icon => icons.get(section) as Icon

/** Sections that the workspace has and the person may open. */
export const sectionsOf = ({ sandbox, role, operator }: Viewer): (typeof SECTIONS)[number][] =>
  SECTIONS.filter(
    (section) =>
      (sandbox || !('sandboxOnly' in section)) &&
      (role !== 'member' || !('adminsOnly' in section)) &&
      (operator || !('operatorsOnly' in section)),
  )

/** Whether the workspace has the page that leads a person to the first verified webhook. */
export const hasQuickstart = (workspace: Viewer): boolean =>
  sectionsOf(workspace).some(({ name }) => name === 'quickstart')

/** What a phone's bar shows: no more than four fit beside the menu. */
export const mainSectionsOf = (viewer: Viewer): (typeof SECTIONS)[number][] => {
  const main: ReadonlySet<SectionName> = new Set([
    'overview',
    'messages',
    'confirmations',
    viewer.sandbox ? 'phone' : 'charts',
  ])
  return sectionsOf(viewer).filter(({ name }) => main.has(name))
}

type Viewer = { sandbox: boolean; role: string; operator: boolean }

export type SectionPath = (typeof SECTIONS)[number]['to']

/** The section of a page; undefined if it has none. */
export function sectionAt(path: string): (typeof SECTIONS)[number] | undefined {
  const [, name] = /\/w\/[^/]+\/([^/]+)/.exec(path) ?? []
  return SECTIONS.find(({ to }) => to === `/w/$workspaceId/${name}`)
}

/**
 * The same section in another workspace. A page about one message leads to the section, because the other has no such
 * message.
 */
export function sectionIn(path: string, workspace: Viewer): SectionPath {
  const section = sectionAt(path)
  return sectionsOf(workspace).find((each) => each === section)?.to ?? '/w/$workspaceId/overview'
}
