import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { Killed } from '../process.ts'
import { createEngines, deleteFirst, thing, upon } from '../things.ts'
import { kept, stateOf, urnOf } from './look.ts'

const engines = createEngines()
afterEach(() => engines.close())

const before: Program = async monitor => {
  const gone = await thing(monitor, 'gone', {})
  const a = await thing(monitor, 'a', { replace: 1 })
  const b = await thing(monitor, 'b', { replace: a.id }, upon(a.urn))
  await thing(monitor, 'c', { v: b.id }, { dependencies: [b.urn] })
  await thing(monitor, 'other', { v: 1 }, { dependencies: [gone.urn] })
  await thing(monitor, 'e', { v: 1 })
}

/** `a` takes `b` with it, which is no target; `n` is new and none; `gone` is registered no more. */
const after: Program = async monitor => {
  const a = await thing(monitor, 'a', { replace: 2 }, deleteFirst)
  const b = await thing(monitor, 'b', { replace: a.id }, upon(a.urn))
  await thing(monitor, 'c', { v: b.id }, { dependencies: [b.urn] })
  await thing(monitor, 'other', { v: 2 })
  const n = await thing(monitor, 'n', {})
  await thing(monitor, 'm', { v: 2 }, { dependencies: [n.urn] })
  await thing(monitor, 'e', { v: 2 })
}
const targeting = { targets: [urnOf('a'), urnOf('e'), urnOf('gone')] }

test.each([1, 2, 3, 4, 5])(
  'a targeted update that dies before its begin %i comes to the same when it is resumed',
  async effect => {
    const cloud = createCloud()
    const engine = await engines.of(cloud)
    await engine.run(before)
    const kill = { call: 'operations.begin', effect, when: 'before' } as const
    await expect(engine.run(after, { targeting, kill })).rejects.toBeInstanceOf(Killed)
    const ran = await engine.run(after, { targeting, resume: true })
    expect(ran.result.result).toBe('succeeded')
    expect(kept(ran)).toEqual(['a', 'b', 'c', 'e', 'gone', 'other'])
    const inputs = ['a', 'b', 'c', 'other', 'e'].map(name => stateOf(ran, name).inputs)
    // What is taken along is made anew with its old inputs.
    const b = { replace: 'a-1' }
    expect(inputs).toEqual([{ replace: 2 }, b, { v: 'b-1' }, { v: 1 }, { v: 2 }])
    expect([...cloud.objects.keys()].sort()).toEqual([
      'a-2',
      'b-2',
      'c-1',
      'e-1',
      'gone-1',
      'other-1',
    ])
  },
)
