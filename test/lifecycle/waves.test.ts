import { afterEach, describe, expect, test } from 'vitest'
import { type Cloud, createCloud } from './cloud.ts'
import type { TestRunOptions, Program, TestEngine } from './engine.ts'
import { ProcessKilledError } from './test-process.ts'
import { createEngines, registerThing } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Waves: top-1, top-2, alone; then mid-1, mid-2; then base. */
const layersProgram: Program = async monitor => {
  const base = await registerThing(monitor, 'base', { v: 1 })
  for (const index of [1, 2]) {
    const mid = await registerThing(monitor, `mid-${index}`, { v: 1 }, { dependencies: [base.urn] })
    await registerThing(monitor, `top-${index}`, { v: 1 }, { dependencies: [mid.urn] })
  }
  await registerThing(monitor, 'alone', { v: 1 })
}

const modes = ['dataflow', 'antichain'] as const

/** Opens a stack of `layersProgram`, in a cloud that refuses to delete `refused`. */
async function openLayered(
  refused: readonly string[],
): Promise<{ cloud: Cloud; engine: TestEngine }> {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(layersProgram)
  for (const name of refused) cloud.faults.add(`delete ${name}-1`)
  return { cloud, engine }
}

const listRemainingIds = (cloud: Cloud): string[] => [...cloud.objects.keys()].sort()

/** Returns the position of the delete of an object in the order of all calls. */
const findDeletePosition = (cloud: Cloud, name: string): number =>
  cloud.mutatingCalls.indexOf(`delete ${name}-1`)

describe.each(modes)('destroy --release %s', release => {
  const destroy: TestRunOptions = { command: 'destroy', release }

  test('deletes everything, dependents first', async () => {
    const { cloud, engine } = await openLayered([])
    const testRun = await engine.run(undefined, destroy)
    expect(testRun.result.result).toBe('succeeded')
    expect(listRemainingIds(cloud)).toEqual([])
    expect(testRun.state.resources ?? []).toEqual([])
    expect(JSON.stringify(testRun.events)).toMatch(/7 deletes in \d waves \(\d/)
  })

  test('continues after a failed delete with --continue-on-error, and keeps the dependencies of the failed resource', async () => {
    const { cloud, engine } = await openLayered(['top-1'])
    const testRun = await engine.run(undefined, { ...destroy, continueOnError: true })
    expect(testRun.result.result).toBe('failed')
    expect(listRemainingIds(cloud)).toEqual(['base-1', 'mid-1-1', 'top-1-1'])
  })

  test('that is killed is resumed, also after failures', async () => {
    const options: TestRunOptions = { ...destroy, continueOnError: true, parallel: 2 }
    const uninterrupted = await openLayered(['top-1'])
    const { effects } = await uninterrupted.engine.run(undefined, options)
    let resumedCount = 0
    for (let effect = 3; effect <= effects.length; effect += 9) {
      const { cloud, engine } = await openLayered(['top-1'])
      const when = effect % 2 === 0 ? 'before' : 'after'
      const killed = await engine.run(undefined, { ...options, kill: { effect, when } }).then(
        () => undefined,
        thrown => thrown as unknown,
      )
      if (killed === undefined) continue
      expect(killed).toBeInstanceOf(ProcessKilledError)
      resumedCount += 1
      await engine.run(undefined, { ...options, resume: true }).catch((thrown: unknown) => {
        if ((thrown as { code?: string }).code !== 'NOTHING_TO_RESUME') throw thrown
        resumedCount -= 1
        return engine.run(undefined, options)
      })
      expect(listRemainingIds(cloud), `${when} ${effect}`).toEqual(['base-1', 'mid-1-1', 'top-1-1'])
      await engine.close()
    }
    // Lease renewals depend on the time, so the number of effects differs between runs.
    expect(resumedCount).toBeGreaterThanOrEqual(3)
  }, 240_000)

  test('keeps a protected resource with its dependencies, and deletes all others', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(async monitor => {
      const base = await registerThing(monitor, 'base', { v: 1 })
      const mid = await registerThing(monitor, 'mid', { v: 1 }, { dependencies: [base.urn] })
      await registerThing(monitor, 'kept', { v: 1 }, { dependencies: [mid.urn], protect: true })
      const root = await registerThing(monitor, 'root', { v: 1 })
      const leaf = await registerThing(monitor, 'leaf', { v: 1 }, { dependencies: [root.urn] })
      await registerThing(monitor, 'leaf-2', { v: 1 }, { dependencies: [leaf.urn] })
    })
    const testRun = await engine.run(undefined, destroy)
    expect(testRun.result.result).toBe('failed')
    expect(listRemainingIds(cloud)).toEqual(['base-1', 'kept-1', 'mid-1'])
    expect(JSON.stringify(testRun.events)).toContain('because it is protected')
  })

  test('is described in a preview, which deletes nothing', async () => {
    const { cloud, engine } = await openLayered([])
    const testRun = await engine.run(undefined, { ...destroy, dryRun: true })
    expect(listRemainingIds(cloud)).toHaveLength(6)
    // The default provider is not counted. The stack is the last wave.
    expect(testRun.result.forecast).toMatchObject({ waves: [3, 2, 1, 1], width: 3 })
  })
})

describe('waves', () => {
  test('wait for the whole previous wave', async () => {
    const { cloud, engine } = await openLayered(['top-1'])
    await engine.run(undefined, {
      command: 'destroy',
      release: 'antichain',
      continueOnError: true,
      parallel: 1,
    })
    for (const name of ['top-1', 'top-2', 'alone'])
      expect(findDeletePosition(cloud, name), name).toBeLessThan(findDeletePosition(cloud, 'mid-2'))
  })

  test('stop after a failed one, without --continue-on-error', async () => {
    const { cloud, engine } = await openLayered(['alone'])
    const options: TestRunOptions = { command: 'destroy', release: 'antichain' }
    const testRun = await engine.run(undefined, options)
    expect(testRun.result.result).toBe('failed')
    expect(cloud.mutatingCalls.filter(line => line.startsWith('delete mid'))).toEqual([])
    expect(findDeletePosition(cloud, 'base')).toBe(-1)
    cloud.faults.clear()
    expect((await engine.run(undefined, options)).result.result).toBe('succeeded')
    expect(listRemainingIds(cloud)).toEqual([])
  })

  test('also order the deletes of an up that removes resources', async () => {
    const { cloud, engine } = await openLayered([])
    const testRun = await engine.run(undefined, { command: 'up', release: 'antichain' })
    expect(testRun.result.result).toBe('succeeded')
    expect(listRemainingIds(cloud)).toEqual([])
    expect(JSON.stringify(testRun.events)).toContain('each wave after the previous one')
  })
})
