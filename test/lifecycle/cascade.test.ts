import { afterEach, expect, test } from 'vitest'
import { createCloud } from './cloud.ts'
import type { Program } from './engine.ts'
import { ProcessKilledError } from './test-process.ts'
import { createEngines, deleteFirst, registerThing, withDependency } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const initialProgram: Program = async monitor => {
  const base = await registerThing(monitor, 'base', { replace: 1 })
  const middle = await registerThing(
    monitor,
    'middle',
    { replace: base.id },
    withDependency(base.urn),
  )
  await registerThing(monitor, 'top', { replace: middle.id }, withDependency(middle.urn))
}

/** The base is replaced, with its previous dependents. `middle` no longer depends on it. */
const changedProgram: Program = async monitor => {
  const registerRest = async (): Promise<void> => {
    const middle = await registerThing(monitor, 'middle', { replace: 1 })
    await registerThing(monitor, 'top', { replace: middle.id }, withDependency(middle.urn))
  }
  await Promise.all([registerThing(monitor, 'base', { replace: 2 }, deleteFirst), registerRest()])
}

test('a resumed deployment does not recreate a resource whose delete did not take place', async () => {
  // Each call takes 300 ms, so decisions made meanwhile do not know its result.
  const cloud = createCloud(300)
  const engine = await engines.open(cloud)
  await engine.run(initialProgram)
  cloud.faults.add('delete top-1')
  // The process dies after it decided the cascade and before any of its calls.
  const killed = engine.run(changedProgram, {
    kill: { call: 'operations.begin', effect: 1, when: 'before' },
  })
  await expect(killed).rejects.toBeInstanceOf(ProcessKilledError)
  const resumed = await engine.run(changedProgram, { resume: true })
  expect(resumed.result.result).toBe('failed')
  const stateIds = new Set((resumed.state.resources ?? []).map(({ id }) => id))
  for (const id of cloud.objects.keys())
    expect(stateIds, `${id} of ${cloud.mutatingCalls.join()}`).toContain(id)
})
