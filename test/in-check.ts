/**
 * Folders that `npm test` leaves out and `npm run check` runs: pages in a browser, models in random orders and every crash
 * point take longer than all other tests together, and seldom fail on their own (docs/decisions/0019-two-tiers-of-tests.md).
 */
export const IN_CHECK = ['test/browser/', 'test/exhaustive/']
