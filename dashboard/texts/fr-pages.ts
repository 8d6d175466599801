import { byNamespace } from './by-namespace.ts'

export const resources = byNamespace(
  import.meta.glob<Record<string, string>>(
    [
      '../../locales/fr/{page_*,accept,accounts,cod,doctor,explain,export,jobs,otp,providers,secrets,verify}.json',
      '!../../locales/fr/page_{charts,emulator,list,overview,session,shell,workspaces}.json',
    ],
    { eager: true, import: 'default' },
  ),
)
