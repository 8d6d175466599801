/**
 * Layers from the top down. A file imports only from its room and lower layers, and so does its test; rooms on one line
 * may not import each other. A room is an entry of `src`, or of a folder that groups rooms of several layers.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['cli'],
  ['commands'],
  ['app'],
  ['operations/backup'],
  ['runtime/start'],
  ['runtime/background'],
  ['admin'],
  ['operations/monitoring'],
  ['operations/doctor'],
  ['api'],
  ['operations/verify'],
  ['explain', 'charts', 'sandbox'],
  ['operations/lifecycle'],
  ['cod', 'otp'],
  ['accept'],
  ['messages'],
  ['webhooks'],
  ['events'],
  ['accounts'],
  ['workspaces'],
  ['runtime/parts'],
  ['providers'],
  ['operations/secrets'],
  ['operations/columns'],
  ['lib/http'],
  ['runtime/jobs'],
  ['lib'],
]

export const rooms = LAYERS.flat()

/** Folders that group rooms. */
const GROUPS = ['operations', 'runtime', 'lib']

/** `file` is relative to `src`. */
export function roomOf(file: string): string {
  const [first = '', second = ''] = file.replace(/(\.test)?\.ts$/, '').split('/')
  const nested = `${first}/${second}`
  return GROUPS.includes(first) && rooms.includes(nested) ? nested : first
}
