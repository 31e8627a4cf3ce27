import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { kept, namesBy, urnOf } from '../target/look.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestDeletedWithTargetedDestroy: what is deleted with a target goes with it, and nobody is asked to', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(async monitor => {
    const a = await thing(monitor, 'a', {})
    await thing(monitor, 'b', {}, { deletedWith: a.urn })
    await thing(monitor, 'c', {})
  })
  const targeting = { targets: [urnOf('a')], targetDependents: true }
  const ran = await engine.run(undefined, { command: 'destroy', targeting })
  expect(ran.result.result).toBe('succeeded')
  expect(namesBy(ran, 'delete')).toEqual(['a', 'b'])
  expect(kept(ran)).toEqual(['c'])
  expect(cloud.log.filter(line => line.startsWith('delete'))).toEqual(['delete a-1'])
})
