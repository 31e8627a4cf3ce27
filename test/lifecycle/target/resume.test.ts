import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { ProcessKilledError } from '../test-process.ts'
import { createEngines, deleteFirst, registerThing, withDependency } from '../register-thing.ts'
import { listStateNames, resourceStateOf, targetUrnOf } from './run-summary.ts'

const engines = createEngines()
afterEach(() => engines.close())

const initialProgram: Program = async monitor => {
  const gone = await registerThing(monitor, 'gone', {})
  const a = await registerThing(monitor, 'a', { replace: 1 })
  const b = await registerThing(monitor, 'b', { replace: a.id }, withDependency(a.urn))
  await registerThing(monitor, 'c', { v: b.id }, { dependencies: [b.urn] })
  await registerThing(monitor, 'other', { v: 1 }, { dependencies: [gone.urn] })
  await registerThing(monitor, 'e', { v: 1 })
}

/**
 * `a` and its dependent `b` are replaced, and `b` is no target. `n` is new and no target. The
 * program does not register `gone`.
 */
const changedProgram: Program = async monitor => {
  const a = await registerThing(monitor, 'a', { replace: 2 }, deleteFirst)
  const b = await registerThing(monitor, 'b', { replace: a.id }, withDependency(a.urn))
  await registerThing(monitor, 'c', { v: b.id }, { dependencies: [b.urn] })
  await registerThing(monitor, 'other', { v: 2 })
  const n = await registerThing(monitor, 'n', {})
  await registerThing(monitor, 'm', { v: 2 }, { dependencies: [n.urn] })
  await registerThing(monitor, 'e', { v: 2 })
}
const targeting = { targets: [targetUrnOf('a'), targetUrnOf('e'), targetUrnOf('gone')] }

test.each([1, 2, 3, 4, 5])(
  'a targeted update that dies before begin %i has the same result when it is resumed',
  async effect => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(initialProgram)
    const kill = { call: 'operations.begin', effect, when: 'before' } as const
    await expect(engine.run(changedProgram, { targeting, kill })).rejects.toBeInstanceOf(
      ProcessKilledError,
    )
    const testRun = await engine.run(changedProgram, { targeting, resume: true })
    expect(testRun.result.result).toBe('succeeded')
    expect(listStateNames(testRun)).toEqual(['a', 'b', 'c', 'e', 'gone', 'other'])
    const inputs = ['a', 'b', 'c', 'other', 'e'].map(name => resourceStateOf(testRun, name).inputs)
    // The dependent is created again with its old inputs.
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
