import { queries } from '../api.ts'
import { useAsking } from '../session/asking.ts'

/** Of somebody who is signed in: the session, its events, the second factor, all may have changed. */
export const useAskingOfAccount = () => useAsking(() => void queries.invalidateQueries())
