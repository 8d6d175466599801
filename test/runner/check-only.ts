/**
 * Folders that `npm test` leaves out, to stay quick, and `npm run check` runs: pages in a browser; models in random orders, every
 * crash point, any input, every language and every plan; whole programs; outages and several nodes; how data is kept and
 * removed (docs/decisions/0019-two-tiers-of-tests.md).
 */
export const CHECK_ONLY = [
  'test/browser/',
  'test/exhaustive/',
  'test/programs/',
  'test/journeys/cluster/',
  'test/journeys/data/',
]
