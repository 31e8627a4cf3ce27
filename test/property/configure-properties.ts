import fc from 'fast-check'

/** The factor of the number of cases per property. The nightly tier has more time. */
export const caseCountFactor = process.env['ANTICHAIN_TIER'] === 'nightly' ? 20 : 1

/**
 * The seed of all properties, if ANTICHAIN_CASES is set. Then a failing case is not shrunk, because
 * a mutation run only needs to know whether a property fails.
 */
const fixedSeed = process.env['ANTICHAIN_CASES']
const seedOptions = fixedSeed === undefined ? {} : { seed: Number(fixedSeed), endOnFailure: true }

fc.configureGlobal({ numRuns: 100 * caseCountFactor, ...seedOptions })
