import { afterEach, expect, test } from 'vitest'
import { createCloud } from './cloud.ts'
import type { Program } from './engine.ts'
import { Killed } from './process.ts'
import { createEngines, deleteFirst, thing, upon } from './things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const before: Program = async monitor => {
  const base = await thing(monitor, 'base', { replace: 1 })
  const middle = await thing(monitor, 'middle', { replace: base.id }, upon(base.urn))
  await thing(monitor, 'top', { replace: middle.id }, upon(middle.urn))
}

/** The base is replaced, and with it what depended on it: but `middle` does not any more. */
const after: Program = async monitor => {
  const rest = async (): Promise<void> => {
    const middle = await thing(monitor, 'middle', { replace: 1 })
    await thing(monitor, 'top', { replace: middle.id }, upon(middle.urn))
  }
  await Promise.all([thing(monitor, 'base', { replace: 2 }, deleteFirst), rest()])
}

test('a resumed deployment makes nothing anew whose delete first did not take place', async () => {
  // Each call takes a while: what is decided meanwhile does not know how it ends.
  const cloud = createCloud(300)
  const engine = await engines.of(cloud)
  await engine.run(before)
  cloud.faults.add('delete top-1')
  // It dies when the cascade is decided, and nothing of it was done.
  const killed = engine.run(after, {
    kill: { call: 'operations.begin', effect: 1, when: 'before' },
  })
  await expect(killed).rejects.toBeInstanceOf(Killed)
  const resumed = await engine.run(after, { resume: true })
  expect(resumed.result.result).toBe('failed')
  const known = new Set((resumed.state.resources ?? []).map(({ id }) => id))
  for (const id of cloud.objects.keys()) expect(known, `${id} of ${cloud.log.join()}`).toContain(id)
})
