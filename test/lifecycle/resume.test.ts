import { afterAll, expect, test } from 'vitest'
import { checkOutlives, forgetPlaces, scenarios, unharmed } from './resume.ts'

afterAll(forgetPlaces)

test.each(scenarios)(
  '$name that was killed at any sixteenth effect goes on where it was',
  async scenario => {
    const { effects, final } = await unharmed(scenario)
    let outlived = 0
    for (let effect = 1; effect <= effects; effect += 16) {
      const when = effect % 32 === 1 ? 'before' : 'after'
      const found = await checkOutlives(scenario, { effect, when }, final)
      if (found !== undefined && !found.isUnknowable) outlived += 1
    }
    expect(outlived).toBeGreaterThan(effects / 40)
  },
  120_000,
)
