import type { AccountSeed } from './accounts/accounts.ts'
import { type Control, createControl } from './control/control.ts'
import { Live } from './control/live.ts'
import { frontPage, phonePage } from './control/pages.ts'
import { addControl } from './control/routes.ts'
import { defineReviews } from './graph/review.ts'
import { addGraph } from './graph/routes.ts'
import { buildServer } from './graph/server.ts'
import { defineInbound } from './inbound/inbound.ts'
import { defineAnswers } from './inbound/answers.ts'
import { type Head, type Parts, type Settings, createParts } from './parts.ts'
import { stateSourceOf, restorePlans } from './snapshot.ts'
import { Store } from './store/store.ts'

export type EmulatorOptions = Settings & {
  /** 0, or nothing, takes any free port. */
  port?: number | undefined
  /** With a folder give them ids: a saved account takes its secrets and its callback URL from here, and keeps the rest. */
  accounts?: AccountSeed[] | undefined
  /** A folder that keeps the state for the next start. Without it, the state ends with the process. */
  data?: string | undefined
  dataBytes?: number | undefined
  /** Called when the saved state cannot be used, or nothing can be written to the folder. */
  warn?: ((line: string) => void) | undefined
  /** Answers requests, but starts nothing else before `begin`, which makes the folder if it is missing. */
  waits?: boolean | undefined
}

/** The emulator as seen by a program. The control API has the same verbs. */
export type Emulator = Awaited<ReturnType<typeof startEmulator>>

/** The emulator never listens anywhere else: it holds tokens and shows one-time codes. */
const HOST = '127.0.0.1'

export async function startEmulator(options: EmulatorOptions = {}) {
  const { port = 0, accounts = [], data, dataBytes, warn = () => {}, waits = false, ...settings } = options
  const store = data === undefined ? undefined : new Store({ folder: data, maxBytes: dataBytes, warn })
  try {
    const parts = openParts(settings, store)
    const live = new Live(parts)
    const control = createControl(parts, live)
    for (const seed of accounts) control.addOrUpdateAccount(seed)
    const server = await buildEmulator(parts, control, live, store)
    const url = await server.listen({ port, host: HOST })
    const begin = (): void => {
      store?.begin(stateSourceOf(parts))
      parts.timers.begin()
    }
    if (!waits) begin()
    else if (store?.isOpen === true) store.begin(stateSourceOf(parts)) // it must save what it answers before `begin`
    return {
      url,
      begin,
      ...saved(control, store),
      get metrics() {
        return control.metrics()
      },
      /** Closes everything. Without a folder, drops what is scheduled or being posted. */
      async close(): Promise<void> {
        live.close()
        await server.close()
        store?.close()
        parts.timers.close()
        parts.scripts.clear()
        await parts.outbox.close()
      },
    }
  } catch (fault) {
    store?.close()
    throw fault
  }
}

/** Opens the parts with the saved state, or empty if it cannot be used. */
function openParts(settings: Settings, store: Store | undefined): Parts {
  store?.read()
  const head = store?.head as Head | undefined
  if (head !== undefined) {
    try {
      const parts = createDefinedParts(settings, store)
      restorePlans(parts, head)
      return parts
    } catch (fault) {
      store?.putAside(`it was not understood (${String(fault)})`)
    }
  }
  return createDefinedParts(settings, store)
}

function createDefinedParts(settings: Settings, store: Store | undefined): Parts {
  const parts = createParts(settings, store)
  defineAnswers(parts)
  defineInbound(parts)
  defineReviews(parts)
  return parts
}

/** Saves the changes of a verb before the program goes on. */
function saved<Verbs extends Record<string, (...given: never[]) => unknown>>(
  verbs: Verbs,
  store: Store | undefined,
): Verbs {
  if (store === undefined) return verbs
  const entries = Object.entries(verbs).map(([name, verb]) => [
    name,
    (...given: never[]) => {
      const answer = verb(...given)
      store.flush()
      return answer instanceof Promise ? answer.finally(() => store.flush()) : answer
    },
  ])
  return Object.fromEntries(entries) as Verbs
}

async function buildEmulator(parts: Parts, control: Control, live: Live, store: Store | undefined) {
  const server = buildServer()
  // A client may rely on what a response says, also after a crash.
  if (store !== undefined) server.addHook('onSend', async () => store.flush())
  frontPage(server)
  phonePage(server)
  await addControl(server, { parts, control, live })
  addGraph(server, parts)
  return server
}
