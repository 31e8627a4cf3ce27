import fc from 'fast-check'

/** How many times as many cases a property is tried on: a night has the time for more. */
export const timesAtNight = process.env['ANTICHAIN_TIER'] === 'nightly' ? 20 : 1

/** Who wants to know no more than whether a property fails names the cases: the same every time. */
const cases = process.env['ANTICHAIN_CASES']
const always = cases === undefined ? {} : { seed: Number(cases), endOnFailure: true }

fc.configureGlobal({ numRuns: 100 * timesAtNight, ...always })
