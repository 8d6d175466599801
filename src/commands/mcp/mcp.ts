import { command } from '../command.ts'
import { flag, workspace } from '../inputs.ts'

export const mcpCommand = command({
  words: 'mcp',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary:
    'Let an AI agent read a workspace over standard input and output, through the Model Context Protocol, until the agent ends (docs/agents.md).',
  options: {
    workspace,
    allowWrites: flag(
      'Also offer tools that send and resend, each after a dry run. Only for a sandbox. Default: the agent can only read.',
    ),
  },
  /** The SDK is loaded on use: no other command needs it. */
  run: async (operator, { workspace: workspaceId, allowWrites }, context) =>
    (await import('./serve.ts')).serveAgent(operator, { workspaceId, allowWrites }, context),
  // Standard output carries only the protocol.
  resultToStderr: () => true,
  format: ({ calls }) => `The agent ended after ${calls} ${calls === 1 ? 'call' : 'calls'}.`,
})
