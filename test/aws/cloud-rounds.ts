import fc from 'fast-check'
import { expect } from 'vitest'
import type { FunctionName } from '../../infra/function-row.ts'
import { killEnvironment } from '../../infra/local-cloud/random-kills.ts'
import { waitUntil } from '../e2e/sandbox.ts'
import { checkChanges, checkGoal, readSoundState } from '../e2e/round-checks.ts'
import { roundKinds } from '../e2e/rounds.ts'
import { type ExportedState, parseExport } from '../e2e/exported-state.ts'
import { type CloudSandbox, createCloudSandbox, type CloudSandboxOptions } from './cloud-sandbox.ts'

/** The functions that a round may kill. */
const killableFunctions = ['step-generator', 'step-executor', 'compaction'] as const

/**
 * A kill of one environment of the function `target`, `afterMs` after the share `callShare` of all
 * provider calls was requested.
 */
export interface CloudKill {
  readonly target: (typeof killableFunctions)[number]
  readonly callShare: number
  readonly afterMs: number
}

/** One deployment by functions, some of whose environments are killed. */
export interface CloudRound {
  readonly kind: 'create' | 'update' | 'mixed' | 'destroy'
  readonly kills: readonly CloudKill[]
  /** Time limits of function calls, in ms; if absent, those of the template. */
  readonly limitMs?: Readonly<Record<'step-generator' | 'step-executor', number>>
  /** The value of the setting `antichain:inlineMax`. Default: 0. */
  readonly inlineMax?: number
  readonly seed: number
}

/** The result of a round. */
export interface CloudRoundResult {
  /** The functions whose environments were killed, one for each kill. */
  readonly kills: readonly string[]
  readonly seconds: number
  /** Number of ended calls, by function name. */
  readonly calls: Readonly<Record<string, number>>
  /** Number of function calls that their time limit ended. */
  readonly timedOutCalls: number
  /** Number of creates whose end only a user can find out. */
  readonly unknownCreates: number
  /** Number of repeated updates and deletes. */
  readonly repeatedCalls: number
}

/**
 * Draws the rounds of a seed. The kinds take turns. Each round has one to three kills. Half of the
 * rounds have short time limits. In every second group of eight rounds, generators may run
 * operations themselves.
 */
export function drawCloudRounds(seed: number, count: number): readonly CloudRound[] {
  const kill = fc.record({
    target: fc.constantFrom(...killableFunctions),
    callShare: fc.integer({ min: 0, max: 95 }).map(percent => percent / 100),
    afterMs: fc.integer({ min: 0, max: 400 }),
  })
  const kills = fc
    .array(kill, { minLength: 1, maxLength: 3, size: 'max' })
    .map(drawnKills => drawnKills.toSorted((a, b) => a.callShare - b.callShare))
  const limits = fc.record({
    'step-generator': fc.integer({ min: 45_000, max: 90_000 }),
    'step-executor': fc.integer({ min: 30_000, max: 60_000 }),
  })
  const names = ['create', 'update', 'mixed', 'destroy'] as const
  return fc
    .sample(fc.tuple(kills, limits), { seed, numRuns: count })
    .map(([drawnKills, limitMs], index) => ({
      kind: names[index % names.length] ?? 'create',
      kills: drawnKills,
      inlineMax: Math.floor(index / (2 * names.length)) % 2 === 0 ? 0 : 8,
      ...((index + Math.floor(index / names.length)) % 2 === 0 ? {} : { limitMs }),
      seed: seed + index,
    }))
}

/** Returns a description of a round. */
export function describeCloudRound({ kind, kills, limitMs, inlineMax = 0 }: CloudRound): string {
  const killLabels = kills.map(
    ({ target, callShare }) => `${target} at ${Math.round(callShare * 100)} %`,
  )
  const times = Object.entries(limitMs ?? {}).map(([name, ms]) => `${name} ${ms} ms`)
  const limited = times.length === 0 ? '' : `, with ${times.join(' and ')} at a time`
  const inlined = inlineMax === 0 ? '' : `, ${inlineMax} operations inline`
  return `${kind}${limited}${inlined}, killed: ${killLabels.join(', ')}`
}

/** Number of objects of a round. It is small, because executors start a plugin per operation. */
const count = 20

/**
 * Time limit of a deployment, in ms. It contains the work, and twice the time from the last renewal
 * of a process to its recovery.
 */
const roundMs = 480_000

/**
 * Runs a round, in which environments are killed and no user intervenes. Compares the log and the
 * objects of the provider with the state afterwards. If an `up` leaves pending creates, the next
 * `up` must reach the goal.
 */
export async function runCloudRound(
  round: CloudRound,
  options: CloudSandboxOptions,
): Promise<CloudRoundResult> {
  const { kind, seed, limitMs, inlineMax = 0 } = round
  const limited = limitMs === undefined ? {} : { limitMs }
  const sandbox = await createCloudSandbox('rounds', {
    compactionIntervalMs: 20_000,
    ...options,
    ...limited,
    settings: { 'antichain:inlineMax': String(inlineMax) },
  })
  try {
    const change = kind === 'mixed' ? 'mixed' : 'update'
    const env = { CHANGE: change, DELAY: '100', COUNT: String(count) }
    const first = await sandbox.upload({ ...env, STEP: '1' })
    const second = await sandbox.upload({ ...env, STEP: '2' })
    if (kind !== 'create')
      expect((await sandbox.deploy('up', first, roundMs)).result).toBe('succeeded')
    const changesBefore = sandbox.listChanges().length
    const beganMs = performance.now()
    const roundEnd = new AbortController()
    const pendingKills = killDuring(round, { sandbox, changesBefore, signal: roundEnd.signal })
    const command = kind === 'destroy' ? 'destroy' : 'up'
    const end = await sandbox.deploy(command, second, roundMs)
    const seconds = Math.round((performance.now() - beganMs) / 1000)
    roundEnd.abort()
    const kills = await pendingKills
    const calls = Object.fromEntries(
      killableFunctions.map(name => [
        name,
        sandbox.calls.filter(call => call.name === name).length,
      ]),
    )
    const changes = sandbox.listChanges().slice(changesBefore)
    // A generator that runs operations itself has provider calls, which its kill interrupts.
    const runsOperations = (target: string): boolean =>
      target === 'step-executor' || (target === 'step-generator' && inlineMax > 0)
    const killedTargets = kills.map(target => (runsOperations(target) ? 'executor' : 'generator'))
    const repeatedCalls = checkChanges({ changes, killedTargets })
    const state = await readSoundState(sandbox)
    const goal = { round: { kind }, env: { ...env, STEP: '2' } }
    checkGoal(goal, state)
    if (!killedTargets.includes('executor')) expect(state.pending).toEqual([])
    const diagnostics = await sandbox.readDiagnostics(end.deployment)
    for (const { name, type } of state.pending) {
      expect(type).toBe('creating')
      expect(diagnostics).toContain(name)
    }
    expect(end.result, diagnostics).toBe(state.pending.length === 0 ? 'succeeded' : 'failed')
    if (state.pending.length > 0 && command === 'up') await redeploy(sandbox, goal, state, second)
    const timedOutCalls = sandbox.calls.filter(({ outcome }) => hasTimedOut(outcome)).length
    return {
      kills,
      seconds,
      calls,
      timedOutCalls,
      unknownCreates: state.pending.length,
      repeatedCalls,
    }
  } catch (thrown) {
    throw new Error(`seed ${seed}: ${describeCloudRound(round)}\n${sandbox.readLog()}`, {
      cause: thrown,
    })
  } finally {
    await sandbox.remove()
  }
}

function hasTimedOut(outcome: CloudSandbox['calls'][number]['outcome']): boolean {
  return outcome.kind === 'died' && outcome.reason.includes('exceeded its time limit')
}

/**
 * Deploys again, which creates the resources of pending creates once more. Only the objects of
 * their first creates may remain unmanaged.
 */
async function redeploy(
  sandbox: CloudSandbox,
  goal: Parameters<typeof checkGoal>[0],
  stateBefore: ExportedState,
  program: Parameters<CloudSandbox['deploy']>[1],
): Promise<void> {
  await sandbox.deploy('up', program, roundMs)
  const state = parseExport(await sandbox.exportState())
  checkGoal(goal, { ...state, pending: [] })
  const unknownCreates = new Set(stateBefore.pending.map(({ name }) => name))
  const managedIds = new Set(state.resources.map(({ id }) => id))
  const unmanagedObjects = sandbox.listObjects().filter(({ id }) => !managedIds.has(id))
  for (const { id } of unmanagedObjects)
    expect([...unknownCreates]).toContain(id.replace(/-\d+$/, ''))
  expect(unmanagedObjects.length).toBeLessThanOrEqual(unknownCreates.size)
}

/**
 * Kills an environment at each drawn moment until the deployment ends. Returns the functions whose
 * environments were killed.
 */
async function killDuring(
  { kind, kills, seed }: CloudRound,
  deps: {
    readonly sandbox: CloudSandbox
    readonly changesBefore: number
    readonly signal: AbortSignal
  },
): Promise<readonly FunctionName[]> {
  const { sandbox, changesBefore, signal } = deps
  const killedTargets: FunctionName[] = []
  const draw = createRandom(seed)
  for (const { target, callShare, afterMs } of kills) {
    // `roundKinds` states the calls of 50 objects.
    const calls = Math.max(1, Math.floor((callShare * roundKinds[kind].calls * count) / 50))
    const isDue = (): boolean => sandbox.listChanges().length - changesBefore >= calls
    await waitUntil(() => signal.aborted || isDue(), {
      condition: `${calls} calls`,
      limitMs: roundMs,
    })
    await new Promise(resolve => setTimeout(resolve, afterMs))
    if (signal.aborted) break
    if (killEnvironment(sandbox.cloud, target, draw) !== undefined) killedTargets.push(target)
  }
  return killedTargets
}

/** Returns a function that draws numbers in [0, 1). Equal seeds give equal numbers. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
