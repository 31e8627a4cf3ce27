import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { createPack, createAnalysis } from '../policy-packs.ts'
import { createEngines, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestUntargetedResourceAnalyzer: packs analyze the whole stack, including resources outside of the targets', async () => {
  const engine = await engines.open(createCloud())
  const seen: string[][] = []
  const pack = createPack('pack', {
    analyzeStack: resources => {
      seen.push(resources.map(({ name }) => name).toSorted())
      return Promise.resolve(createAnalysis())
    },
  })
  const program = createThings({ a: { v: 1 }, b: { v: 1 } })
  await engine.run(program)
  const targeting = { targets: ['urn:pulumi:dev::life::test:index:Thing::b'] }
  const onlyB = createThings({ b: { v: 2 } })
  // The program does not register `a`, which stays because it is no target.
  for (const dryRun of [true, false]) {
    const testRun = await engine.run(onlyB, { packs: [pack], targeting, dryRun })
    expect(testRun.result.result).toBe('succeeded')
  }
  await engine.run(program, { packs: [pack], targeting })
  // Without targets `a` is deleted.
  await engine.run(onlyB, { packs: [pack], dryRun: true })
  await engine.run(onlyB, { packs: [pack] })
  const [all, withoutA] = [
    ['a', 'b', 'default', 'life-dev'],
    ['b', 'default', 'life-dev'],
  ]
  expect(seen).toEqual([all, all, all, withoutA, withoutA])
})
