import { describe, expect, test } from 'vitest'
import { defects } from './defects.ts'
import { runSeed } from './many.ts'

/** Seeds within which a broken rule must be noticed. */
const seedsMax = 150

describe('a rule that is broken on purpose is noticed', () => {
  test.each(defects.map(defect => [defect.name, defect] as const))('%s', async (_name, defect) => {
    for (let seed = 1; seed <= seedsMax; seed += 1) {
      const { violations } = await runSeed(seed, { twist: defect.twist })
      if (violations.length > 0) return
    }
    expect.fail(`${seedsMax} seeds noticed nothing`)
  })
})
