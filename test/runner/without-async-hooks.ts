/**
 * Loaded before `node:test`, in every process of a run. `node:test` follows all asynchronous work with a hook, which takes
 * a quarter of a process's time: a promise with a hook is also slow to collect. It needs the hook to learn which suite a
 * file's tests belong to (test/runner/worker.ts), and to name the test of an uncaught error, which fails the run without it too.
 */
import { type AsyncHook, createHook } from 'node:async_hooks'
import { createRequire } from 'node:module'

const asyncHooks = createRequire(import.meta.url)('node:async_hooks') as { createHook: typeof createHook }
const hooks: AsyncHook[] = []
let registering = false

asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks)
  hooks.push(hook)
  return {
    enable: () => (registering ? hook.enable() : hook),
    disable: () => hook.disable(),
  }
}
await import('node:test')
asyncHooks.createHook = createHook

/** Whether tests are being registered in a suite. */
export function setRegistering(value: boolean): void {
  registering = value
  for (const hook of hooks) {
    if (value) hook.enable()
    else hook.disable()
  }
}

if (process.env.NODE_TEST_CONTEXT) {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => console.error(event, error)) // `node:test` prints no stack
  }
}
