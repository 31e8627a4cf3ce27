import { afterEach, expect, test } from 'vitest'
import { orderOfEffects } from '../../shared/records/order-of-effects.ts'
import { createCloud } from './cloud.ts'
import { Killed } from './process.ts'
import { createEngines, things } from './things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const { leave, wake, move, slow } = orderOfEffects
/** The first take-over is that of the start, the first message that of what was moved. */
const effectOf: Readonly<Record<string, number>> = { 'log.append takeover': 2, 'chains.send': 2 }

const killings = [leave, wake, move, slow].flatMap(({ effects }) =>
  effects.flatMap(({ call }) => [
    { call, when: 'before' as const },
    { call, when: 'after' as const },
  ]),
)

test.for(killings)(
  'a deployment under a time limit dies $when $call, and is resumed under one',
  { timeout: 60_000 },
  async kill => {
    // So long that a generator parks, and that no executor with a limit of its own begins it.
    const cloud = createCloud(5_200)
    const engine = await engines.of(cloud)
    const program = things({ a: { v: 1 } })
    const asked = { functionLimitMs: 1_000 }
    const effect = effectOf[kill.call] ?? 1
    const killed = await engine
      .run(program, { ...asked, kill: { ...kill, effect } })
      .catch((thrown: unknown) => thrown)
    expect(killed).toBeInstanceOf(Killed)
    const again = await engine.run(program, { ...asked, resume: true })
    const pending = again.state.pending_operations ?? []
    // Who dies while the call runs leaves a create of which nobody knows; it is named, not sent again.
    expect(pending.length).toBeLessThanOrEqual(1)
    expect(cloud.log.filter(line => line === 'create a').length).toBeLessThanOrEqual(1)
    const { resources = [] } = again.state
    const isKnown = resources.some(({ id }) => id === 'a-1')
    expect(isKnown || pending.length === 1).toBe(true)
    if (isKnown) expect(again.result).toMatchObject({ result: 'succeeded', pending: [] })
  },
)
