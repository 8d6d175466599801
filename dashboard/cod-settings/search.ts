import { TOPICS, type Topic } from './draft/topics.ts'

/** The open tab. */
export type CodSettingsSearch = { tab?: Topic }

export function readCodSettingsSearch({ tab }: Record<string, unknown>): CodSettingsSearch {
  const topic = TOPICS.find((each) => each === tab)
  return topic ? { tab: topic } : {}
}
