import fc from 'fast-check'

/** Factor of the number of cases per property: the nightly tier has more time. */
export const timesAtNight = process.env['ANTICHAIN_TIER'] === 'nightly' ? 20 : 1

/**
 * If ANTICHAIN_CASES is set, the seed is fixed and a failure is not reduced. A mutation run only
 * needs to know whether a property fails.
 */
const cases = process.env['ANTICHAIN_CASES']
const always = cases === undefined ? {} : { seed: Number(cases), endOnFailure: true }

fc.configureGlobal({ numRuns: 100 * timesAtNight, ...always })
