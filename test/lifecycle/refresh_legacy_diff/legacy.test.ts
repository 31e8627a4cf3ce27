import { afterEach, expect, test } from 'vitest'
import { ReadResponse } from '../../../proto/gen/pulumi/provider.ts'
import type { ReadRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import { listNamesByOp, resourceStateOf, targetUrnOf } from '../target/run-summary.ts'
import { createEngines, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestRefreshBasicsWithLegacyDiff: with the legacy diff, a refresh compares only the outputs', async () => {
  const inputs = { v: 1 }
  const cloud = createCloud()
  const read = ({ id, properties }: ReadRequest) => {
    // The inputs of b and the outputs of c changed.
    if (id === 'b-1') return ReadResponse.create({ id, properties, inputs: { v: 2 } })
    if (id === 'c-1') return ReadResponse.create({ id, properties: { v: 2 }, inputs })
    return ReadResponse.create({})
  }
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, read } })
  await engine.run(createThings({ a: inputs, b: inputs, c: inputs }))
  cloud.objects.delete('a-1')
  const opByName: Record<string, string> = { a: 'delete', b: 'same', c: 'update' }
  const names = Object.keys(opByName)
  const legacy = { command: 'refresh', legacyRefreshDiff: true, dryRun: true } as const
  // The bits of each number select a subset of the names.
  for (const chosen of [0, 1, 2, 3, 4, 5, 6, 7].map(bits =>
    names.filter((_, index) => (bits & (1 << index)) !== 0),
  )) {
    const targeting = { targets: chosen.map(name => targetUrnOf(name)) }
    const testRun = await engine.run(undefined, { ...legacy, targeting })
    const readNames = chosen.length === 0 ? names : chosen
    expect(listNamesByOp(testRun, 'refresh').filter(name => names.includes(name))).toEqual(
      readNames,
    )
    for (const name of readNames)
      expect(testRun.result.changes[opByName[name] ?? '']).toBeGreaterThan(0)
  }
  const done = await engine.run(undefined, { ...legacy, dryRun: false })
  expect(done.result.changes).toMatchObject({ delete: 1, update: 1 })
  expect(resourceStateOf(done, 'b').inputs).toEqual({ v: 2 })
})
