/**
 * Loaded after `without-async-hooks.ts`. `node:test` keeps every test until the process ends, and with it the functions of its
 * `after`, which hold its world: 1.2 MB each, which each collection of garbage would copy or mark. Here a function is let
 * go when it is called.
 */
import { type TestContext, before } from 'node:test'

function releaseWhenCalled(contexts: TestContext): void {
  const after = Reflect.get<TestContext, 'after'>(contexts, 'after')
  contexts.after = function (this: TestContext, hook, options) {
    let held = hook
    const callOnce: typeof hook = (...args) => {
      const called = held
      held = undefined
      return called?.(...args)
    }
    after.call(this, callOnce, options)
  }
}

if (process.env.NODE_TEST_CONTEXT) before((root) => releaseWhenCalled(Object.getPrototypeOf(root) as TestContext))
