/** WhatsApp’s own Graph URL. An account on an emulator has another one. */
export const GRAPH_URL = 'https://graph.facebook.com'

/** The URL may end in a slash or name a version. Empty: the default. */
export const isAtMeta = (graphUrl: string): boolean => graphUrl.trim() === '' || new URL(graphUrl).origin === GRAPH_URL
