import { queryClient } from '../api.ts'
import { useSignInCall } from '../session/use-sign-in-call.ts'

/** A call may change the session, its events and the second factor. */
export const useAccountCall = () => useSignInCall(() => void queryClient.invalidateQueries())
