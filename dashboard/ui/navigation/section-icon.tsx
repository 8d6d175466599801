import {
  ActivityLogIcon,
  BarChartIcon,
  ChatBubbleIcon,
  CheckCircledIcon,
  CircleBackslashIcon,
  DashboardIcon,
  FileTextIcon,
  GearIcon,
  HeartIcon,
  Link2Icon,
  LockClosedIcon,
  MixerHorizontalIcon,
  MobileIcon,
  PaperPlaneIcon,
  PersonIcon,
} from '@radix-ui/react-icons'
import type { ComponentType } from 'react'
import type { SECTIONS } from './sections.ts'

export type SectionName = (typeof SECTIONS)[number]['name']

type Icon = ComponentType<{ 'aria-hidden': 'true'; className: string | undefined }>

const ICONS: Readonly<Record<SectionName, Icon>> = {
  overview: DashboardIcon,
  messages: ChatBubbleIcon,
  confirmations: CheckCircledIcon,
  charts: BarChartIcon,
  phone: MobileIcon,
  senders: PaperPlaneIcon,
  templates: FileTextIcon,
  cod_settings: MixerHorizontalIcon,
  blocked: CircleBackslashIcon,
  keys: LockClosedIcon,
  endpoints: Link2Icon,
  settings: GearIcon,
  people: PersonIcon,
  audit: ActivityLogIcon,
  system: HeartIcon,
}

/** These icons have a direction, so Arabic mirrors them. */
const MIRRORED: ReadonlySet<SectionName> = new Set(['messages', 'charts', 'senders', 'audit'])

export function SectionIcon({ of }: { of: SectionName }) {
  const Icon = ICONS[of]
  return <Icon aria-hidden="true" className={MIRRORED.has(of) ? 'mirrored' : undefined} />
}
