import { SECOND_MS } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import { type Provider, ProviderRejectedError, ProviderUnreachableError } from './provider.ts'

/** The provider, whose requests count in the metrics. `list` and the others may be several requests. */
export function measured(provider: Provider, metrics: Pick<Metrics, 'providerRequests'>): Provider {
  const measure = async <Result>(
    operation: string,
    run: () => Promise<Result>,
    outcomeOf: (result: Result) => string = () => 'accepted',
  ): Promise<Result> => {
    const startedAtMs = performance.now()
    let outcome = 'failed'
    try {
      const result = await run()
      outcome = outcomeOf(result)
      return result
    } catch (error) {
      if (error instanceof ProviderRejectedError) outcome = 'rejected'
      if (error instanceof ProviderUnreachableError) outcome = error.mayHaveArrived ? 'unknown' : 'unreachable'
      throw error
    } finally {
      metrics.providerRequests.observe({ operation, outcome }, (performance.now() - startedAtMs) / SECOND_MS)
    }
  }
  return {
    ...provider,
    send: (...input) =>
      measure(
        'send',
        () => provider.send(...input),
        ({ outcome }) => outcome,
      ),
    list: (...input) => measure('list', () => provider.list(...input)),
    subscribe: (...input) => measure('subscribe', () => provider.subscribe(...input)),
    subscribers: (...input) => measure('list_subscribers', () => provider.subscribers(...input)),
    findTemplate: (...input) => measure('find_template', () => provider.findTemplate(...input)),
    createTemplate: (...input) => measure('create_template', () => provider.createTemplate(...input)),
    deleteTemplate: (...input) => measure('delete_template', () => provider.deleteTemplate(...input)),
  }
}
