import fc from 'fast-check'

/** How many times as many cases a property is tried on: a night has the time for more. */
export const timesAtNight = process.env['ANTICHAIN_TIER'] === 'nightly' ? 20 : 1

fc.configureGlobal({ numRuns: 100 * timesAtNight })
