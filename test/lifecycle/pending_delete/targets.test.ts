import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { kept, urnOf } from '../target/look.ts'
import { createEngines, things } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestDestroyWithUntargetedPendingDelete: an old copy of what is no target stays', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program = (value: number): Program => things({ a: { replace: value }, b: {} })
  await engine.run(program(1))
  cloud.faults.add('delete a-1')
  await engine.run(program(2))
  cloud.faults.clear()
  const ran = await engine.run(undefined, {
    command: 'destroy',
    targeting: { targets: [urnOf('b')] },
  })
  expect(ran.result.result).toBe('succeeded')
  expect(kept(ran)).toEqual(['a', 'a'])
  const marks = (ran.state.resources ?? []).filter(({ urn }) => urn === urnOf('a'))
  expect(marks.filter(state => state['delete'] === true).map(({ id }) => id)).toEqual(['a-1'])
  const rest = await engine.run(undefined, {
    command: 'destroy',
    targeting: { targets: [urnOf('a')] },
  })
  expect(kept(rest)).toEqual([])
  expect(cloud.objects.size).toBe(0)
})
