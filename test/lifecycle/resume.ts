import { rmSync } from 'node:fs'
import { expect } from 'vitest'
import { pendingOperationsOf } from '../../shared/state/pending.ts'
import { type Cloud, createCloud } from './cloud.ts'
import {
  type TestRunOptions,
  type Monitor,
  openEngine,
  type Program,
  type TestRun,
  type TestEngine,
} from './engine.ts'
import { ProcessKilledError, type KillPoint } from './test-process.ts'
import {
  deleteFirst,
  toWireSecret,
  getTestStack,
  registerThing,
  withDependency,
} from './register-thing.ts'

/** Id of an existing object that the program only reads. */
const foreignId = 'outside-1'

/** The program of the initial stack. A later run of `secondProgram` has every kind of step. */
export const firstProgram: Program = async monitor => {
  const a = await registerThing(monitor, 'a', { v: 1 })
  await registerThing(monitor, 'kept', { v: 1 })
  await registerThing(monitor, 'changed', { v: 1 }, { dependencies: [a.urn] })
  await registerThing(monitor, 'replaced', { replace: 1 })
  const base = await registerThing(monitor, 'base', { replace: 1 })
  await registerThing(monitor, 'upon', { replace: base.id }, withDependency(base.urn))
  await registerThing(monitor, 'gone', { v: 1 })
  await registerThing(monitor, 'gone-upon', { v: 1 }, { dependencies: [a.urn] })
  await registerDynamic(monitor, 'dynamic', 1)
  await registerExtended(monitor, 'gone-extended', 'before')
  await registerThing(
    monitor,
    'by-explicit',
    { v: 1 },
    { provider: await registerExplicit(monitor, 1) },
  )
}

export const secondProgram: Program = async monitor => {
  const a = await registerThing(monitor, 'a', { v: 1 })
  const group = await monitor.register({ type: 'test:index:Group', name: 'group', object: {} })
  await registerThing(monitor, 'kept', { v: 1 })
  await registerThing(monitor, 'changed', { v: 2 }, { dependencies: [a.urn] })
  const { count } = await monitor.invoke('test:index:count')
  const foreign = await monitor.read('outside', foreignId)
  await Promise.all([
    registerThing(monitor, 'new-1', { v: 1 }, { parent: group.urn }),
    registerThing(monitor, 'new-2', { v: count, from: foreign.urn }, { parent: group.urn }),
    registerThing(monitor, 'replaced', { replace: 2 }),
    registerThing(monitor, 'hidden', { v: toWireSecret('hush') }),
    registerDynamic(monitor, 'dynamic', 2),
  ])
  await registerExtended(monitor, 'extended', 'now')
  const base = await registerThing(monitor, 'base', { replace: 2 }, deleteFirst)
  await registerThing(monitor, 'upon', { replace: base.id }, withDependency(base.urn))
  await registerThing(
    monitor,
    'by-explicit',
    { v: 2 },
    { provider: await registerExplicit(monitor, 2) },
  )
  await monitor.registerOutputs(group.urn, { made: 2 })
  await monitor.registerOutputs(monitor.stack, { done: true, hidden: toWireSecret('hush') })
}

/**
 * Registers a resource in the form of a dynamic resource: an input contains its provider, as a
 * secret.
 */
const registerDynamic = (monitor: Monitor, name: string, v: number) =>
  monitor.register({
    type: 'pulumi-nodejs:dynamic:Resource',
    name,
    custom: true,
    object: { v, __provider: toWireSecret('exports.handler = () => new Provider()') },
  })

/** Registers a resource whose provider must be extended before other requests. */
async function registerExtended(monitor: Monitor, name: string, parameter: string): Promise<void> {
  const extension = { name: 'extra', version: '1.0.0', value: Buffer.from(parameter) }
  const packageRef = await monitor.registerPackage({ name: 'test', extension })
  await registerThing(monitor, name, { v: 1 }, { packageRef })
}

/** Registers an explicit provider and returns its reference. */
async function registerExplicit(monitor: Monitor, region: number): Promise<string> {
  const provider = await monitor.register({
    type: 'pulumi:providers:test',
    name: 'explicit',
    custom: true,
    object: { region: `${region}` },
  })
  return `${provider.urn}::${provider.id}`
}

/** A deployment that is killed and resumed, on a stack of `firstProgram`. */
export interface ResumeScenario {
  readonly name: string
  readonly program: Program | undefined
  readonly options: TestRunOptions
}

/** The scenarios: an update without and with a refresh, a refresh, and a destroy. */
export const scenarios: readonly ResumeScenario[] = [
  { name: 'up', program: secondProgram, options: {} },
  { name: 'up --refresh', program: secondProgram, options: { refresh: true } },
  { name: 'refresh', program: undefined, options: { command: 'refresh' } },
  { name: 'destroy', program: undefined, options: { command: 'destroy' } },
]

/** An engine with an existing stack, and its cloud. */
export interface TestSetup {
  readonly engine: TestEngine
  readonly cloud: Cloud
}

/** The prepared homes by program. All cases that start from the same program share one. */
const preparedHomes = new Map<Program, Promise<{ readonly home: string; readonly cloud: Cloud }>>()

async function prepareHome(
  program: Program,
): Promise<{ readonly home: string; readonly cloud: Cloud }> {
  const cloud = createForeignCloud()
  const engine = await openEngine(cloud.script)
  await engine.run(program)
  await engine.closeKeepingHome()
  return { home: engine.home, cloud }
}

/** Returns a cloud that contains the foreign object that `secondProgram` reads. */
export function createForeignCloud(): Cloud {
  const cloud = createCloud()
  cloud.objects.set(foreignId, { v: 5 })
  return cloud
}

/** Opens a copy of a prepared home. */
export async function openTestSetup(program: Program, delayMs = 0): Promise<TestSetup> {
  const preparation = preparedHomes.get(program) ?? prepareHome(program)
  preparedHomes.set(program, preparation)
  const prepared = await preparation
  const cloud = createCloud(delayMs, prepared.cloud)
  return { engine: await openEngine(cloud.script, prepared.home), cloud }
}

/** Removes the prepared homes. */
export async function removePreparedHomes(): Promise<void> {
  for (const preparation of preparedHomes.values())
    rmSync((await preparation).home, { recursive: true, force: true })
  preparedHomes.clear()
}

/** The ids in the cloud after a run, and the state without its ids, times and ciphertexts. */
export interface FinalState {
  readonly state: unknown
  readonly cloud: unknown
}

export function finalStateOf(testRun: TestRun, cloud: Cloud): FinalState {
  const resources = (testRun.state.resources ?? []).map(
    ({ created: _c, modified: _m, provider: _p, id: _i, ...comparable }) => comparable,
  )
  return {
    state: JSON.parse(
      JSON.stringify(resources.sort((x, y) => (x.urn < y.urn ? -1 : 1)))
        .replaceAll(/(?<=pulumi:providers:[\w-]+::\w+::)[0-9a-f-]{36}/g, 'id')
        .replaceAll(/(?<="ciphertext":")[^"]+/g, 'sealed'),
    ),
    cloud: [...cloud.objects.keys()].sort(),
  }
}

/** Runs a scenario without a kill. Returns the number of effects and the final state. */
async function runWithoutKill({
  program,
  options,
}: ResumeScenario): Promise<{ readonly effects: number; readonly final: FinalState }> {
  const { engine, cloud } = await openTestSetup(firstProgram)
  try {
    cloud.drift()
    const testRun = await engine.run(program, options)
    expect(testRun.tracer.listUnfinished()).toEqual([])
    return { effects: testRun.effects.length, final: finalStateOf(testRun, cloud) }
  } finally {
    await engine.close()
  }
}

/** Resumes a deployment. If there is nothing to resume, starts another one. */
export function resumeOrRun(
  { engine }: Pick<TestSetup, 'engine'>,
  program: Program | undefined,
  options: TestRunOptions,
): Promise<TestRun> {
  return engine.run(program, { ...options, resume: true }).catch((thrown: unknown) => {
    // The run had decided nothing, or had completed everything. The next run does the rest.
    if ((thrown as { code?: string }).code !== 'NOTHING_TO_RESUME') throw thrown
    return engine.run(program, options)
  })
}

/**
 * Checks a stack against its cloud: one object per resource, no create sent twice, no object
 * without a resource, and no resource without its object. Creates with unknown ends must be
 * pending. Returns whether an operation is pending.
 */
export async function checkCloud(
  { engine, cloud }: TestSetup,
  testRun: TestRun,
  label: string,
): Promise<boolean> {
  const creates = cloud.mutatingCalls.filter(line => line.startsWith('create '))
  expect(creates.length, `${label}: ${creates.join()}`).toBe(new Set(creates).size)
  const cloudResources = (testRun.state.resources ?? []).filter(
    ({ custom, type }) => custom && !type.startsWith('pulumi:'),
  )
  const ids = cloudResources.map(({ id }) => textOf(id))
  expect(ids.length, `${label}: ${ids.join()}`).toBe(new Set(ids).size)
  const pendingNames = pendingOperationsOf(testRun.state).map(
    ({ resource }) => resource.urn.split('::').at(-1) ?? '',
  )
  const isPending = (id: string): boolean => pendingNames.includes(id.replace(/-\d+$/, ''))
  const inbox = await engine.platform.catalog.listLateOutcomes(
    (await getTestStack(engine.platform)).id,
    99,
  )
  const knownIds = new Set([foreignId, ...ids, ...inbox.map(({ state }) => textOf(state['id']))])
  const lostIds = [...cloud.objects.keys()].filter(id => !knownIds.has(id) && !isPending(id))
  expect(lostIds, `${label}: not in the state`).toEqual([])
  const existingIds = new Set([...cloud.objects.keys(), ...cloud.driftedIds])
  // A resource that is deleted before its replacement stays in the state until the replacement
  // exists.
  const presentResources = cloudResources.filter(
    ({ pendingReplacement }) => pendingReplacement !== true,
  )
  const missingIds = presentResources
    .map(({ id }) => textOf(id))
    .filter(id => !existingIds.has(id) && !isPending(id))
  expect(missingIds, `${label}: not in the cloud`).toEqual([])
  return pendingNames.length > 0
}

const textOf = (id: unknown): string => (typeof id === 'string' ? id : '')

/** The result of a killed and resumed run. */
interface KillOutcome {
  /** Whether the end of a create is unknown. */
  readonly hasUnknownCreate: boolean
}

/**
 * Kills the deployment of a scenario at one effect, resumes it, and checks the result. It must
 * equal the run without a kill, or have a pending operation for each create with an unknown end.
 * Returns undefined if the run does not reach the effect.
 */
async function checkKilledRun(
  { program, options }: ResumeScenario,
  kill: KillPoint,
  expected: FinalState,
): Promise<KillOutcome | undefined> {
  const setup = await openTestSetup(firstProgram)
  const { engine, cloud } = setup
  try {
    cloud.drift()
    const killError = await engine.run(program, { ...options, kill }).then(
      () => undefined,
      thrown => thrown as unknown,
    )
    if (killError === undefined) return undefined
    if (!(killError instanceof ProcessKilledError)) throw killError
    const label = `${kill.when} ${kill.effect}: ${killError.effects.at(-1)}`
    const resumedRun = await resumeOrRun(setup, program, options)
    const hasUnknownCreate = await checkCloud(setup, resumedRun, label)
    if (hasUnknownCreate) expect(resumedRun.result.result, label).toBe('failed')
    else expect(finalStateOf(resumedRun, cloud), label).toEqual(expected)
    return { hasUnknownCreate }
  } finally {
    await engine.close()
  }
}

/**
 * Kills a scenario before each `step`-th of its effects, and checks that it can be resumed. A kill
 * after an effect equals one before the next, except for a lost reply. The suite of `crashes.ts`
 * covers lost replies row by row.
 */
export async function checkEffects(scenario: ResumeScenario, step: number): Promise<void> {
  const { effects, final } = await runWithoutKill(scenario)
  let killCount = 0
  let resumedCount = 0
  let unknownCount = 0
  for (let effect = 1; effect <= effects; effect += step) {
    killCount += 1
    const outcome = await checkKilledRun(scenario, { effect, when: 'before' }, final)
    if (outcome?.hasUnknownCreate === true) unknownCount += 1
    else if (outcome !== undefined) resumedCount += 1
  }
  console.log(`${killCount} kills: ${resumedCount} resumed, ${unknownCount} with an unknown create`)
  expect(resumedCount).toBeGreaterThan(killCount / 2)
}
