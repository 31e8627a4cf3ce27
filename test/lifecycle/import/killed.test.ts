import { afterEach, describe, expect, test } from 'vitest'
import type { ImportedResource } from '../../../shared/records/imported-resource.ts'
import type { Urn } from '../../../shared/names/urn.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { TestRunOptions, Program, TestRun, TestEngine } from '../engine.ts'
import { ProcessKilledError } from '../test-process.ts'
import { statesOf } from '../run-events.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const program: Program = async monitor => {
  const a = await registerThing(monitor, 'a', { v: 2 }, { importId: 'ext-a' })
  await registerThing(monitor, 'b', { v: 1 }, { importId: 'ext-b', dependencies: [a.urn] })
}

/** Opens a stack whose `b` is replaced by the import of `ext-b`. */
async function openScene(): Promise<{ readonly cloud: Cloud; readonly engine: TestEngine }> {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => void (await registerThing(monitor, 'b', { v: 1 })))
  cloud.objects.set('ext-a', { v: 1 })
  cloud.objects.set('ext-b', { v: 1 })
  return { cloud, engine }
}

/** Kills a run at every `step`-th effect, resumes each, and returns the number of kills. */
async function killEverywhere(
  input: {
    readonly program: Program | undefined
    readonly options: TestRunOptions
    readonly step: number
  },
  checkRun: (testRun: TestRun, cloud: Cloud) => void,
): Promise<number> {
  const { options, step } = input
  const unharmedStack = await openScene()
  const { effects } = await unharmedStack.engine.run(input.program, options)
  let kills = 0
  for (let effect = 2; effect <= effects.length; effect += step) {
    const { cloud, engine } = await openScene()
    const when = effect % 2 === 0 ? 'before' : 'after'
    const killed = await engine.run(input.program, { ...options, kill: { effect, when } }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (killed === undefined) continue
    expect(killed).toBeInstanceOf(ProcessKilledError)
    kills += 1
    const testRun = await engine
      .run(input.program, { ...options, resume: true })
      .catch((thrown: unknown) => {
        if ((thrown as { code?: string }).code !== 'NOTHING_TO_RESUME') throw thrown
        return engine.run(input.program, options)
      })
    checkRun(testRun, cloud)
    await engine.close()
  }
  return kills
}

describe('an import that is killed is resumed', () => {
  test('with the resource option import: no object is created again, the replaced one is deleted, and the difference is updated', async () => {
    const kills = await killEverywhere({ program, options: {}, step: 5 }, (testRun, cloud) => {
      expect(testRun.result.result).toBe('succeeded')
      expect([...cloud.objects]).toEqual([
        ['ext-a', { v: 2 }],
        ['ext-b', { v: 1 }],
      ])
      expect(cloud.mutatingCalls.filter(line => line.startsWith('create'))).toEqual(['create b'])
      expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'ext-a', inputs: { v: 2 } }])
      expect(statesOf(testRun, 'b')).toMatchObject([{ id: 'ext-b', importID: 'ext-b' }])
      expect(testRun.state.pending_operations ?? []).toEqual([])
    })
    expect(kills).toBeGreaterThan(4)
  }, 300_000)

  test('with the command import: the stack has the imported resources, and their provider once', async () => {
    const createImport = (name: string, parent: Urn | ''): ImportedResource => ({
      type: 'test:index:Thing',
      name,
      id: `ext-${name.at(-1)}`,
      parent,
      provider: '',
      version: '9.9.9',
      pluginDownloadUrl: '',
      protect: false,
      isChosen: false,
      component: 'no',
    })
    const top = 'urn:pulumi:dev::life::test:index:Thing::new-a' as Urn
    const options: TestRunOptions = {
      command: 'import',
      imports: [createImport('new-b', top), createImport('new-a', '')],
    }
    const input = { program: undefined, options, step: 5 }
    const kills = await killEverywhere(input, (testRun, cloud) => {
      expect(testRun.result.result).toBe('succeeded')
      expect(statesOf(testRun, 'new-a')).toMatchObject([{ id: 'ext-a' }])
      expect(statesOf(testRun, 'new-b')).toMatchObject([{ id: 'ext-b', parent: top }])
      expect(statesOf(testRun, 'default_9_9_9')).toHaveLength(1)
      expect(cloud.mutatingCalls).toEqual(['create b'])
      expect(testRun.state.pending_operations ?? []).toEqual([])
    })
    expect(kills).toBeGreaterThan(3)
  }, 300_000)
})
