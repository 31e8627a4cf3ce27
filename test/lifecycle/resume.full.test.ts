import { afterAll, expect, test } from 'vitest'
import { checkOutlives, forgetPlaces, scenarios, unharmed } from './resume.ts'

afterAll(forgetPlaces)

const kills = scenarios.flatMap(scenario =>
  (['before', 'after'] as const).map(when => ({ ...scenario, when, scenario })),
)

test.concurrent.each(kills)(
  '$name that was killed $when any of its effects goes on where it was',
  async ({ scenario, when }) => {
    const { effects, final } = await unharmed(scenario)
    let outlived = 0
    let unknowable = 0
    for (let effect = 1; effect <= effects; effect++) {
      const found = await checkOutlives(scenario, { effect, when }, final)
      if (found?.isUnknowable === true) unknowable += 1
      else if (found !== undefined) outlived += 1
    }
    console.log(`${effects} effects: ${outlived} outlived, ${unknowable} with an unknowable create`)
    expect(outlived).toBeGreaterThan(effects / 2)
  },
  600_000,
)
