import { rmSync } from 'node:fs'
import { expect } from 'vitest'
import { pendingOf } from '../../shared/state/pending.ts'
import { type Cloud, createCloud } from './cloud.ts'
import {
  type TestRunOptions,
  type Monitor,
  openEngine,
  type Program,
  type TestRun,
  type TestEngine,
} from './engine.ts'
import { Killed, type KillPoint } from './test-process.ts'
import {
  deleteFirst,
  toWireSecret,
  getTestStack,
  registerThing,
  withDependency,
} from './register-thing.ts'

/** Id of an existing object that the program only reads. */
const outside = 'outside-1'

/** The initial stack. `secondProgram` then has every kind of step. */
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
  const there = await monitor.read('outside', outside)
  await Promise.all([
    registerThing(monitor, 'new-1', { v: 1 }, { parent: group.urn }),
    registerThing(monitor, 'new-2', { v: count, from: there.urn }, { parent: group.urn }),
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

/** A resource in the form of dynamic ones: its provider is one of its inputs, a secret. */
const registerDynamic = (monitor: Monitor, name: string, v: number) =>
  monitor.register({
    type: 'pulumi-nodejs:dynamic:Resource',
    name,
    custom: true,
    object: { v, __provider: toWireSecret('exports.handler = () => new Provider()') },
  })

/** Registers a resource whose provider must be extended before other requests. */
async function registerExtended(monitor: Monitor, name: string, by: string): Promise<void> {
  const extension = { name: 'extra', version: '1.0.0', value: Buffer.from(by) }
  const packageRef = await monitor.registerPackage({ name: 'test', extension })
  await registerThing(monitor, name, { v: 1 }, { packageRef })
}

/** Registers an explicit provider and returns its reference. */
async function registerExplicit(monitor: Monitor, region: number): Promise<string> {
  const made = await monitor.register({
    type: 'pulumi:providers:test',
    name: 'explicit',
    custom: true,
    object: { region: `${region}` },
  })
  return `${made.urn}::${made.id}`
}

/** The deployment that is killed, after one that ran `firstProgram`. */
export interface ResumeScenario {
  readonly name: string
  readonly program: Program | undefined
  readonly options: TestRunOptions
}

/** One scenario for each variant of a command. */
export const scenarios: readonly ResumeScenario[] = [
  { name: 'up', program: secondProgram, options: {} },
  { name: 'up --refresh', program: secondProgram, options: { refresh: true } },
  { name: 'refresh', program: undefined, options: { command: 'refresh' } },
  { name: 'destroy', program: undefined, options: { command: 'destroy' } },
]

/** An engine with an existing stack, and its cloud. */
export interface TestPlace {
  readonly engine: TestEngine
  readonly cloud: Cloud
}

/** The prepared homes by program, one for all cases that start from it. */
const made = new Map<Program, Promise<{ readonly home: string; readonly cloud: Cloud }>>()

async function prepareHome(
  program: Program,
): Promise<{ readonly home: string; readonly cloud: Cloud }> {
  const cloud = createForeignCloud()
  const engine = await openEngine(cloud.script)
  await engine.run(program)
  await engine.keep()
  return { home: engine.home, cloud }
}

/** Returns a cloud that contains the foreign object that `secondProgram` reads. */
export function createForeignCloud(): Cloud {
  const cloud = createCloud()
  cloud.objects.set(outside, { v: 5 })
  return cloud
}

/** Opens a copy of a prepared home. */
export async function openPlace(program: Program, delayMs = 0): Promise<TestPlace> {
  const making = made.get(program) ?? prepareHome(program)
  made.set(program, making)
  const before = await making
  const cloud = createCloud(delayMs, before.cloud)
  return { engine: await openEngine(cloud.script, before.home), cloud }
}

/** Removes the prepared homes. */
export async function removePlaces(): Promise<void> {
  for (const making of made.values()) rmSync((await making).home, { recursive: true, force: true })
  made.clear()
}

/** The final state to compare, without ids, times and ciphertexts. */
export interface FinalState {
  readonly state: unknown
  readonly cloud: unknown
}

export function finalOf(ran: TestRun, cloud: Cloud): FinalState {
  const resources = (ran.state.resources ?? []).map(
    ({ created: _c, modified: _m, provider: _p, id: _i, ...kept }) => kept,
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

/** Runs a scenario without a kill, and returns its effects and its final state. */
async function runUnharmed({
  program,
  options,
}: ResumeScenario): Promise<{ readonly effects: number; readonly final: FinalState }> {
  const { engine, cloud } = await openPlace(firstProgram)
  try {
    cloud.drift()
    const ran = await engine.run(program, options)
    expect(ran.tracer.listUnfinished()).toEqual([])
    return { effects: ran.effects.length, final: finalOf(ran, cloud) }
  } finally {
    await engine.close()
  }
}

/** Resumes a deployment, or runs it again if it can only be closed. */
export function resumeOrRun(
  { engine }: Pick<TestPlace, 'engine'>,
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
 * Checks a stack against its cloud: one object per resource, no create sent twice, no object lost,
 * and no missing object in the state. Creates with unknown ends must be pending. Returns whether
 * any is.
 */
export async function checkCloud(
  { engine, cloud }: TestPlace,
  ran: TestRun,
  where: string,
): Promise<boolean> {
  const creates = cloud.log.filter(line => line.startsWith('create '))
  expect(creates.length, `${where}: ${creates.join()}`).toBe(new Set(creates).size)
  const own = (ran.state.resources ?? []).filter(
    ({ custom, type }) => custom && !type.startsWith('pulumi:'),
  )
  const ids = own.map(({ id }) => textOf(id))
  expect(ids.length, `${where}: ${ids.join()}`).toBe(new Set(ids).size)
  const names = pendingOf(ran.state).map(({ resource }) => resource.urn.split('::').at(-1) ?? '')
  const isNamed = (id: string): boolean => names.includes(id.replace(/-\d+$/, ''))
  const inbox = await engine.platform.catalog.listLate((await getTestStack(engine.platform)).id, 99)
  const known = new Set([outside, ...ids, ...inbox.map(({ state }) => textOf(state['id']))])
  const lost = [...cloud.objects.keys()].filter(id => !known.has(id) && !isNamed(id))
  expect(lost, `${where}: not in the state`).toEqual([])
  const there = new Set([...cloud.objects.keys(), ...cloud.drifted])
  // A resource that is deleted before its replacement stays in the state until the replacement
  // exists.
  const kept = own.filter(({ pendingReplacement }) => pendingReplacement !== true)
  const gone = kept.map(({ id }) => textOf(id)).filter(id => !there.has(id) && !isNamed(id))
  expect(gone, `${where}: not in the cloud`).toEqual([])
  return names.length > 0
}

const textOf = (id: unknown): string => (typeof id === 'string' ? id : '')

/** The result of a killed and resumed run. */
interface KillOutcome {
  /** Whether the end of a create is unknown. */
  readonly isUnknowable: boolean
}

/**
 * Kills the deployment of a scenario at one effect, resumes it, and checks the result. It must
 * equal the run without a kill, or have a pending operation for each create with an unknown end.
 */
async function checkKilledRun(
  { program, options }: ResumeScenario,
  kill: KillPoint,
  expected: FinalState,
): Promise<KillOutcome | undefined> {
  const place = await openPlace(firstProgram)
  const { engine, cloud } = place
  try {
    cloud.drift()
    const killed = await engine.run(program, { ...options, kill }).then(
      () => undefined,
      thrown => thrown as unknown,
    )
    if (killed === undefined) return undefined
    if (!(killed instanceof Killed)) throw killed
    const where = `${kill.when} ${kill.effect}: ${killed.effects.at(-1)}`
    const again = await resumeOrRun(place, program, options)
    const isUnknowable = await checkCloud(place, again, where)
    if (isUnknowable) expect(again.result.result, where).toBe('failed')
    else expect(finalOf(again, cloud), where).toEqual(expected)
    return { isUnknowable }
  } finally {
    await engine.close()
  }
}

/**
 * Kills a scenario before each `step`-th of its effects, and checks that it can be resumed. A kill
 * after an effect equals one before the next, except for a lost reply. The crashes of the table
 * cover lost replies row by row.
 */
export async function checkEffects(scenario: ResumeScenario, step: number): Promise<void> {
  const { effects, final } = await runUnharmed(scenario)
  let tried = 0
  let outlived = 0
  let unknowable = 0
  for (let effect = 1; effect <= effects; effect += step) {
    tried += 1
    const found = await checkKilledRun(scenario, { effect, when: 'before' }, final)
    if (found?.isUnknowable === true) unknowable += 1
    else if (found !== undefined) outlived += 1
  }
  console.log(`${tried} effects: ${outlived} resumed, ${unknowable} with an unknown create`)
  expect(outlived).toBeGreaterThan(tried / 2)
}
