import { byNamespace } from './by-namespace.ts'

/** The server's texts, and those of the pages that the first load can show. */
export const resources = byNamespace({
  ...import.meta.glob<Record<string, string>>(
    [
      '../../locales/en/*.json',
      '!../../locales/en/page_*.json',
      '!../../locales/en/{server_pages,accept,accounts,cod,doctor,explain,export,jobs,otp,providers,secrets,verify}.json',
    ],
    { eager: true, import: 'default' },
  ),
  ...import.meta.glob<Record<string, string>>(
    '../../locales/en/page_{charts,list,overview,session,shell,workspaces}.json',
    {
      eager: true,
      import: 'default',
    },
  ),
})
