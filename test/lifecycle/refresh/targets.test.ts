import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import {
  listStateNames,
  listNamesByOp,
  resourceStateOf,
  targetUrnOf,
} from '../target/run-summary.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const program: Program = async monitor => {
  const a = await registerThing(monitor, 'a', { v: 1 })
  await registerThing(monitor, 'b', { v: 1 }, { dependencies: [a.urn] })
  await registerThing(monitor, 'c', { v: 1 })
}

test('TestRefreshBasics: each target is read, and is then unchanged, updated or deleted; no other resource is read', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(program)
  cloud.objects.delete('a-1')
  cloud.objects.set('b-1', { v: 2 })
  const opByName: Record<string, string> = { a: 'delete', b: 'update', c: 'same' }
  const names = Object.keys(opByName)
  // The bits of each number select a subset of the names.
  for (const chosen of [0, 1, 2, 3, 4, 5, 6, 7].map(bits =>
    names.filter((_, index) => (bits & (1 << index)) !== 0),
  )) {
    const targeting = { targets: chosen.map(name => targetUrnOf(name)) }
    const testRun = await engine.run(undefined, { command: 'refresh', dryRun: true, targeting })
    const readNames = chosen.length === 0 ? names : chosen
    expect(listNamesByOp(testRun, 'refresh').filter(name => names.includes(name))).toEqual(
      readNames,
    )
    for (const name of readNames)
      expect(testRun.result.changes[opByName[name] ?? '']).toBeGreaterThan(0)
  }
  const testRun = await engine.run(undefined, {
    command: 'refresh',
    targeting: { targets: [targetUrnOf('a'), targetUrnOf('b')] },
  })
  expect(testRun.result.changes).toEqual({ delete: 1, update: 1 })
  expect(listStateNames(testRun)).toEqual(['b', 'c'])
  expect(resourceStateOf(testRun, 'b').outputs).toEqual({ v: 2 })
})
