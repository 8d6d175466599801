import type { shellWords } from './shell-words.ts'

/** The sections of a workspace, in the order in which people need them. */
export const SECTIONS = [
  { name: 'overview', to: '/w/$workspaceId/overview' },
  { name: 'messages', to: '/w/$workspaceId/messages' },
  { name: 'confirmations', to: '/w/$workspaceId/confirmations' },
  { name: 'charts', to: '/w/$workspaceId/charts' },
  { name: 'phone', to: '/w/$workspaceId/phone', sandboxOnly: true },
  { name: 'senders', to: '/w/$workspaceId/senders' },
  { name: 'templates', to: '/w/$workspaceId/templates' },
  { name: 'codSettings', to: '/w/$workspaceId/cod-settings' },
  { name: 'blocked', to: '/w/$workspaceId/blocked' },
  { name: 'keys', to: '/w/$workspaceId/keys' },
  { name: 'endpoints', to: '/w/$workspaceId/endpoints' },
  { name: 'settings', to: '/w/$workspaceId/settings' },
  { name: 'people', to: '/w/$workspaceId/people' },
  { name: 'audit', to: '/w/$workspaceId/audit' },
] as const satisfies readonly { name: keyof typeof shellWords.en; to: string; sandboxOnly?: true }[]
