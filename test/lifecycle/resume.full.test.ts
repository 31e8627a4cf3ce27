import { afterAll, expect, test } from 'vitest'
import { checkOutlives, forgetPlaces, scenarios, unharmed } from './resume.ts'

afterAll(forgetPlaces)

// What dies after an effect has done what dies before the next; what differs, a reply that nobody
// heard, is in the crashes of the table, row by row.
test.concurrent.each(scenarios)(
  '$name that was killed before any of its effects goes on where it was',
  async scenario => {
    const { effects, final } = await unharmed(scenario)
    let outlived = 0
    let unknowable = 0
    for (let effect = 1; effect <= effects; effect++) {
      const found = await checkOutlives(scenario, { effect, when: 'before' }, final)
      if (found?.isUnknowable === true) unknowable += 1
      else if (found !== undefined) outlived += 1
    }
    console.log(`${effects} effects: ${outlived} outlived, ${unknowable} with an unknowable create`)
    expect(outlived).toBeGreaterThan(effects / 2)
  },
  1_200_000,
)
