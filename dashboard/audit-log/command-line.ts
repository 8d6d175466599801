/** Who changed something with a command, as the server names them. */
export const COMMAND_LINE = 'command line'
