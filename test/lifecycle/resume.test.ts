import { expect, test } from 'vitest'
import { checkOutlives, scenarios, unharmed } from './resume.ts'

test.each(scenarios)(
  '$name that was killed at any twelfth effect goes on where it was',
  async scenario => {
    const { effects, final } = await unharmed(scenario)
    let outlived = 0
    for (let effect = 1; effect <= effects; effect += 12) {
      const when = effect % 24 === 1 ? 'before' : 'after'
      const found = await checkOutlives(scenario, { effect, when }, final)
      if (found !== undefined && !found.isUnknowable) outlived += 1
    }
    expect(outlived).toBeGreaterThan(effects / 30)
  },
  120_000,
)
