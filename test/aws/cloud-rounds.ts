import fc from 'fast-check'
import { expect } from 'vitest'
import type { FunctionName } from '../../infra/functions-table.ts'
import { killOne } from '../../infra/local-cloud/random-kills.ts'
import { waitUntil } from '../e2e/place.ts'
import { checkChanges, checkGoal, readSoundState } from '../e2e/round-checks.ts'
import { doings } from '../e2e/rounds.ts'
import { type ExportedState, readExport } from '../e2e/exported-state.ts'
import { type CloudPlace, createCloudPlace, type CloudPlaceOptions } from './cloud-place.ts'

/** Functions that die in rounds. */
const victims = ['step-generator', 'step-executor', 'compaction'] as const

/** A kill, once a part of the calls was asked for, and a little later. */
export interface CloudKill {
  readonly whom: (typeof victims)[number]
  readonly part: number
  readonly afterMs: number
}

/** One deployment by functions, some of whose environments die. */
export interface CloudRound {
  readonly doing: 'create' | 'update' | 'mixed' | 'destroy'
  readonly kills: readonly CloudKill[]
  /** Times after which Lambda would cut a call off, in ms, where they are not the usual ones. */
  readonly limitMs?: Readonly<Record<'step-generator' | 'step-executor', number>>
  readonly seed: number
}

/** What a round came to. */
export interface CloudRoundResult {
  readonly kills: readonly string[]
  readonly seconds: number
  /** Calls of functions that ended, by name. */
  readonly calls: Readonly<Record<string, number>>
  /** Calls of functions that their time cut off. */
  readonly late: number
  /** Creates of which only a person can know. */
  readonly unknown: number
  /** Updates and deletes that were asked for a second time. */
  readonly repeated: number
}

/** Rounds of a seed: each doing in turn, with a kill or two, every second one with little time. */
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

/** A round in words. */
export function describeCloudRound({ doing, kills, limitMs }: CloudRound): string {
  const kinds = kills.map(({ whom, part }) => `${whom} at ${Math.round(part * 100)} %`)
  const times = Object.entries(limitMs ?? {}).map(([name, ms]) => `${name} ${ms} ms`)
  const limited = times.length === 0 ? '' : `, with ${times.join(' and ')} at a time`
  return `${doing}${limited}, killed: ${kinds.join(', ')}`
}

/** Objects of a round: each operation costs an executor the start of a plugin. */
const count = 20

/** From the last renewal of who died until others act, twice over, and the work itself. */
const roundMs = 480_000

/**
 * Runs a round: environments are killed at its moments, nobody helps. Then the provider's log and
 * objects are held against the state, and the next deployment must reach the goal.
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
  return outcome.kind === 'died' && outcome.why.includes('over its limit')
}

/** The next deployment makes what nobody knows of; what that left is all that ever lies about. */
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

/** Kills at each moment of the round that comes before its end; answers who was. */
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

/** Numbers from 0 to below 1, the same for a seed. */
function drawOf(seed: number): () => number {
  let at = seed
  return () => {
    at = (at * 1_103_515_245 + 12_345) % 2_147_483_648
    return at / 2_147_483_648
  }
}
