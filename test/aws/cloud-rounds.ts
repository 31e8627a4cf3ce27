import fc from 'fast-check'
import { expect } from 'vitest'
import type { FunctionName } from '../../infra/functions-table.ts'
import { killOne } from '../../infra/local-cloud/random-kills.ts'
import { waitUntil } from '../e2e/place.ts'
import { checkChanges, checkGoal, readSoundState } from '../e2e/round-checks.ts'
import { doings } from '../e2e/rounds.ts'
import { type ExportedState, readExport } from '../e2e/exported-state.ts'
import { type CloudPlace, createCloudPlace, type CloudPlaceOptions } from './cloud-place.ts'

/** The functions that a round may kill. */
const victims = ['step-generator', 'step-executor', 'compaction'] as const

/** A kill. It happens `afterMs` after a part of the calls was requested. */
export interface CloudKill {
  readonly whom: (typeof victims)[number]
  readonly part: number
  readonly afterMs: number
}

/** One deployment by functions, some of whose environments are killed. */
export interface CloudRound {
  readonly doing: 'create' | 'update' | 'mixed' | 'destroy'
  readonly kills: readonly CloudKill[]
  /** Time limits of calls as Lambda enforces them, in ms; if absent, the usual ones. */
  readonly limitMs?: Readonly<Record<'step-generator' | 'step-executor', number>>
  readonly seed: number
}

/** The result of a round. */
export interface CloudRoundResult {
  readonly kills: readonly string[]
  readonly seconds: number
  /** Number of ended function calls, by name. */
  readonly calls: Readonly<Record<string, number>>
  /** Number of function calls that their time limit ended. */
  readonly late: number
  /** Number of creates whose end only a user can find out. */
  readonly unknown: number
  /** Number of repeated updates and deletes. */
  readonly repeated: number
}

/**
 * Draws the rounds of a seed. The kinds take turns, with one to three kills each, every second one
 * with short time limits.
 */
export function drawCloudRounds(seed: number, count: number): readonly CloudRound[] {
  const kill = fc.record({
    whom: fc.constantFrom(...victims),
    part: fc.integer({ min: 0, max: 95 }).map(percent => percent / 100),
    afterMs: fc.integer({ min: 0, max: 400 }),
  })
  const kills = fc
    .array(kill, { minLength: 1, maxLength: 3, size: 'max' })
    .map(drawn => drawn.toSorted((a, b) => a.part - b.part))
  const limits = fc.record({
    'step-generator': fc.integer({ min: 45_000, max: 90_000 }),
    'step-executor': fc.integer({ min: 30_000, max: 60_000 }),
  })
  const names = ['create', 'update', 'mixed', 'destroy'] as const
  return fc
    .sample(fc.tuple(kills, limits), { seed, numRuns: count })
    .map(([drawn, limitMs], at) => ({
      doing: names[at % names.length] ?? 'create',
      kills: drawn,
      ...((at + Math.floor(at / names.length)) % 2 === 0 ? {} : { limitMs }),
      seed: seed + at,
    }))
}

/** Returns a description of a round. */
export function describeCloudRound({ doing, kills, limitMs }: CloudRound): string {
  const kinds = kills.map(({ whom, part }) => `${whom} at ${Math.round(part * 100)} %`)
  const times = Object.entries(limitMs ?? {}).map(([name, ms]) => `${name} ${ms} ms`)
  const limited = times.length === 0 ? '' : `, with ${times.join(' and ')} at a time`
  return `${doing}${limited}, killed: ${kinds.join(', ')}`
}

/** Number of objects of a round. Each operation costs an executor the start of a plugin. */
const count = 20

/** Twice the time from a process's last renewal to its recovery, plus the work itself. */
const roundMs = 480_000

/**
 * Runs a round: environments are killed at its moments, without manual help. Compares the
 * provider's log and objects with the state afterwards. The next deployment must reach the goal.
 */
export async function runCloudRound(
  round: CloudRound,
  options: CloudPlaceOptions,
): Promise<CloudRoundResult> {
  const { doing, seed, limitMs } = round
  const limited = limitMs === undefined ? {} : { limitMs }
  const place = await createCloudPlace('rounds', { tidyMs: 20_000, ...options, ...limited })
  try {
    const change = doing === 'mixed' ? 'mixed' : 'update'
    const env = { CHANGE: change, DELAY: '100', COUNT: String(count) }
    const first = await place.upload({ ...env, STEP: '1' })
    const second = await place.upload({ ...env, STEP: '2' })
    if (doing !== 'create')
      expect((await place.deploy('up', first, roundMs)).result).toBe('succeeded')
    const before = place.listChanges().length
    const beganMs = performance.now()
    const over = new AbortController()
    const killing = killDuring(round, { place, before, signal: over.signal })
    const command = doing === 'destroy' ? 'destroy' : 'up'
    const end = await place.deploy(command, second, roundMs)
    const seconds = Math.round((performance.now() - beganMs) / 1000)
    over.abort()
    const kills = await killing
    const calls = Object.fromEntries(
      victims.map(name => [name, place.calls.filter(one => one.name === name).length]),
    )
    const changes = place.listChanges().slice(before)
    const killed = kills.map(whom =>
      whom === 'step-executor' ? ('executor' as const) : ('generator' as const),
    )
    const repeated = checkChanges({ changes, killed })
    const state = await readSoundState(place)
    const goal = { round: { doing }, env: { ...env, STEP: '2' } }
    checkGoal(goal, state)
    if (!killed.includes('executor')) expect(state.pending).toEqual([])
    const diagnostics = await place.readDiagnostics(end.deployment)
    for (const { name, type } of state.pending) {
      expect(type).toBe('creating')
      expect(diagnostics).toContain(name)
    }
    expect(end.result, diagnostics).toBe(state.pending.length === 0 ? 'succeeded' : 'failed')
    if (state.pending.length > 0 && command === 'up') await redeploy(place, goal, state, second)
    const late = place.calls.filter(({ outcome }) => isLate(outcome)).length
    return { kills, seconds, calls, late, unknown: state.pending.length, repeated }
  } catch (thrown) {
    throw new Error(`seed ${seed}: ${describeCloudRound(round)}\n${place.readLog()}`, {
      cause: thrown,
    })
  } finally {
    await place.remove()
  }
}

function isLate(outcome: CloudPlace['calls'][number]['outcome']): boolean {
  return outcome.kind === 'died' && outcome.why.includes('exceeded its time limit')
}

/**
 * Deploys again, which creates the resources with unknown ends once more. Only their first objects
 * may remain unmanaged.
 */
async function redeploy(
  place: CloudPlace,
  goal: Parameters<typeof checkGoal>[0],
  left: ExportedState,
  program: Parameters<CloudPlace['deploy']>[1],
): Promise<void> {
  await place.deploy('up', program, roundMs)
  const state = readExport(await place.exportState())
  checkGoal(goal, { ...state, pending: [] })
  const unknown = new Set(left.pending.map(({ name }) => name))
  const kept = new Set(state.resources.map(({ id }) => id))
  const lost = place.listObjects().filter(({ id }) => !kept.has(id))
  for (const { id } of lost) expect([...unknown]).toContain(id.replace(/-\d+$/, ''))
  expect(lost.length).toBeLessThanOrEqual(unknown.size)
}

/**
 * Kills an environment at each moment of the round that comes before its end. Returns the killed
 * functions.
 */
async function killDuring(
  { doing, kills, seed }: CloudRound,
  deps: { readonly place: CloudPlace; readonly before: number; readonly signal: AbortSignal },
): Promise<readonly FunctionName[]> {
  const { place, before, signal } = deps
  const killed: FunctionName[] = []
  const draw = drawOf(seed)
  for (const { whom, part, afterMs } of kills) {
    const calls = Math.max(1, Math.floor((part * doings[doing].calls * count) / 50))
    const isDue = (): boolean => place.listChanges().length - before >= calls
    await waitUntil(() => signal.aborted || isDue(), { what: `${calls} calls`, limitMs: roundMs })
    await new Promise(done => setTimeout(done, afterMs))
    if (signal.aborted) break
    if (killOne(place.cloud, whom, draw) !== undefined) killed.push(whom)
  }
  return killed
}

/** Returns random numbers in [0, 1), the same for a seed. */
function drawOf(seed: number): () => number {
  let at = seed
  return () => {
    at = (at * 1_103_515_245 + 12_345) % 2_147_483_648
    return at / 2_147_483_648
  }
}
