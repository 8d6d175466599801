import {
  ActivityLogIcon,
  BarChartIcon,
  ChatBubbleIcon,
  CheckCircledIcon,
  CircleBackslashIcon,
  DashboardIcon,
  FileTextIcon,
  GearIcon,
  Link2Icon,
  LockClosedIcon,
  MixerHorizontalIcon,
  MobileIcon,
  PaperPlaneIcon,
  PersonIcon,
} from '@radix-ui/react-icons'
import type { ComponentType } from 'react'
import type { SECTIONS } from './sections.ts'

type Icon = ComponentType<{ 'aria-hidden': 'true' }>

export const SECTION_ICONS: Readonly<Record<(typeof SECTIONS)[number]['name'], Icon>> = {
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
}
