import { afterEach, describe, expect, test } from 'vitest'
import { type Cloud, createCloud } from '../cloud.ts'
import type { TestRunOptions, Program, TestRun, TestEngine } from '../engine.ts'
import { ProcessKilledError } from '../test-process.ts'
import { listStateNames, resourceStateOf } from '../target/run-summary.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const program: Program = async monitor => {
  const a = await registerThing(monitor, 'a', { v: 1 })
  await registerThing(monitor, 'moved', { replace: 2 }, { dependencies: [a.urn] })
  await registerThing(monitor, 'gone', { v: 1 })
}

/**
 * Opens a stack with drift, a missing object, a resource to replace, and one that the program does
 * not register.
 */
async function openScene(): Promise<{ readonly cloud: Cloud; readonly engine: TestEngine }> {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const object = { v: 1 }
  await engine.run(createThings({ a: object, moved: { replace: 1 }, gone: object, left: object }))
  cloud.objects.set('a-1', { v: 7 })
  cloud.objects.set('left-1', { v: 7 })
  cloud.objects.delete('gone-1')
  return { cloud, engine }
}

/**
 * Checks a run without a kill. Then kills a run at every `step`-th effect, resumes and checks each,
 * and returns the number of kills.
 */
async function killEverywhere(
  options: TestRunOptions,
  step: number,
  checkRun: (testRun: TestRun, cloud: Cloud) => void,
): Promise<number> {
  const unharmedStack = await openScene()
  const unharmedRun = await unharmedStack.engine.run(program, options)
  checkRun(unharmedRun, unharmedStack.cloud)
  let kills = 0
  for (let effect = 2; effect <= unharmedRun.effects.length; effect += step) {
    const { cloud, engine } = await openScene()
    const when = effect % 2 === 0 ? 'before' : 'after'
    const killed = await engine.run(program, { ...options, kill: { effect, when } }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (killed === undefined) continue
    expect(killed).toBeInstanceOf(ProcessKilledError)
    kills += 1
    const testRun = await engine
      .run(program, { ...options, resume: true })
      .catch((thrown: unknown) => {
        if ((thrown as { code?: string }).code !== 'NOTHING_TO_RESUME') throw thrown
        return engine.run(program, options)
      })
    checkRun(testRun, cloud)
    await engine.close()
  }
  return kills
}

describe('a killed refresh that runs its program is resumed', () => {
  test('alone: the state equals the cloud, and the cloud is not changed', async () => {
    const options: TestRunOptions = { command: 'refresh', runProgram: true }
    const kills = await killEverywhere(options, 29, (testRun, cloud) => {
      expect(testRun.result.result).toBe('succeeded')
      expect(listStateNames(testRun)).toEqual(['a', 'left', 'moved'])
      expect(resourceStateOf(testRun, 'a')).toMatchObject({ id: 'a-1', outputs: { v: 7 } })
      expect(resourceStateOf(testRun, 'left')).toMatchObject({ id: 'left-1', outputs: { v: 7 } })
      expect(resourceStateOf(testRun, 'moved').inputs).toEqual({ replace: 1 })
      expect(testRun.state.pending_operations ?? []).toEqual([])
      expect(cloud.mutatingCalls).toHaveLength(4)
    })
    expect(kills).toBeGreaterThan(1)
  }, 120_000)

  test('before an update: each missing or replaced object is created once, based on the read state', async () => {
    const options: TestRunOptions = { refresh: true, runProgram: true }
    const kills = await killEverywhere(options, 37, (testRun, cloud) => {
      expect(testRun.result.result).toBe('succeeded')
      expect(listStateNames(testRun)).toEqual(['a', 'gone', 'moved'])
      expect([...cloud.objects].sort(([one], [other]) => one.localeCompare(other))).toEqual([
        ['a-1', { v: 1 }],
        ['gone-2', { v: 1 }],
        ['moved-2', { replace: 2 }],
      ])
      expect(resourceStateOf(testRun, 'moved').id).toBe('moved-2')
      expect(testRun.state.pending_operations ?? []).toEqual([])
      const creates = cloud.mutatingCalls.filter(line => line.startsWith('create'))
      expect(creates.slice(4).sort()).toEqual(['create gone', 'create moved'])
    })
    expect(kills).toBeGreaterThan(1)
  }, 120_000)
})
