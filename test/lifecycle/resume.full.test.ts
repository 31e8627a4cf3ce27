import { expect, test } from 'vitest'
import { type EffectList, orderOfEffects } from '../../shared/records/order-of-effects.ts'
import { checkOutlives, scenarios, unharmed } from './resume.ts'

const kills = scenarios.flatMap(scenario =>
  (['before', 'after'] as const).map(when => ({ ...scenario, when, scenario })),
)

/** Every effect at which a process was killed, as the table names it. */
const killedAt = new Set<string>()

test.each(kills)(
  '$name that was killed $when any of its effects goes on where it was',
  async ({ scenario, when }) => {
    const { effects, final } = await unharmed(scenario)
    let outlived = 0
    let unknowable = 0
    for (let effect = 1; effect <= effects; effect++) {
      const found = await checkOutlives(scenario, { effect, when }, final)
      if (found !== undefined) killedAt.add(`${when} ${found.effect}`)
      if (found?.isUnknowable === true) unknowable += 1
      else if (found !== undefined) outlived += 1
    }
    console.log(`${effects} effects: ${outlived} outlived, ${unknowable} with an unknowable create`)
    expect(outlived).toBeGreaterThan(effects / 2)
  },
  600_000,
)

test('no effect of the table was left out', () => {
  // `late.test.ts` kills what needs two processes at once, `hand-over.full.test.ts` what needs time.
  const { start, settle, register, operate, plan, close } = orderOfEffects
  const lists: readonly EffectList[] = [start, settle, register, operate, plan, close]
  const calls = new Set(lists.flatMap(({ effects }) => effects.map(({ call }) => call)))
  const missing = [...calls].flatMap(call =>
    ['before', 'after'].map(when => `${when} ${call}`).filter(name => !killedAt.has(name)),
  )
  expect(missing).toEqual([])
})
