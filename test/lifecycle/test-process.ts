import { compact } from '../../shared/runtime/compaction/fold-and-publish.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { createGeneratorPorts } from '../../local/local.ts'
import { error, hasCode } from '../../shared/errors/error.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import type { Provider } from '../../shared/providers/provider.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { LogRecord } from '../../shared/records/log.ts'
import type { Delivery } from '../../shared/ports/queue.ts'
import {
  createTracer,
  isEffect,
  type NotedEffect,
  type EffectRow,
  type Tracer,
} from './effect-tracer.ts'

/** The point at which a process dies: before its n-th effect, or after it and before its reply. */
export interface KillPoint {
  readonly effect: number
  /** Counts only effects of this name: the order of others may differ from run to run. */
  readonly call?: string
  /** Counts only effects that match this row of the table. */
  readonly row?: EffectRow
  /** Counts only effects after this returns true. */
  readonly isArmed?: () => boolean
  /** `refused`: the process lives, and the store refuses this one effect. */
  readonly when: 'before' | 'after' | 'refused'
}

/** Thrown for a run that was killed, with its effects so far. */
export class Killed extends Error {
  readonly effects: readonly string[]
  constructor(effects: readonly string[]) {
    super(`killed at ${effects.length}: ${effects.at(-1) ?? 'the start'}`)
    this.effects = effects
  }
}

/** A process and its effects. */
export interface TestProcess {
  readonly platform: EmbeddedPlatform
  readonly ports: GeneratorPorts
  readonly guardProvider: (provider: Provider) => Provider
  readonly died: Promise<'killed'>
  readonly effects: readonly string[]
  /** The effects in the terms of the table. */
  readonly tracer: Tracer
  readonly close: () => Promise<void>
}

/** The ports whose calls are effects of a process, except those that the table omits. */
const portNames = [
  'decisionLog',
  'blobs',
  'operations',
  'control',
  'catalog',
  'leases',
  'chains',
  'events',
  'nudges',
  'retention',
  'blobSweep',
] as const

/** An append is named after its decisions. */
function nameOf(name: string, args: readonly unknown[]): string {
  if (name !== 'decisionLog.append') return name
  const { decisions } = args[1] as LogRecord
  const kinds = decisions.map(one => (one.kind === 'phase' ? `phase ${one.phase}` : one.kind))
  return `decisionLog.append ${kinds.join(' + ')}`
}

/** Returns a function that reports whether an effect is the one to die at. */
function createCountdown(
  kill: KillPoint | undefined,
): (name: string, rows: readonly EffectRow[]) => boolean {
  let count = 0
  return (name, rows) => {
    if (kill === undefined) return false
    const { call, row, isArmed } = kill
    const counts =
      isArmed?.() !== false &&
      (call === undefined || name === call) &&
      (row === undefined || rows.some(one => one.list === row.list && one.row === row.row))
    if (counts) count += 1
    return counts && count === kill.effect
  }
}

const refuse = (): Promise<never> =>
  Promise.reject(error('STORE_UNAVAILABLE', 'the store has a bad moment'))

/** A provider call in a preview changes nothing. */
function isPreview([ask]: readonly unknown[]): boolean {
  return typeof ask === 'object' && ask !== null && 'preview' in ask && ask.preview === true
}

/** Returns ports with injected faults. */
export type Disturb = (platform: EmbeddedPlatform) => Partial<EmbeddedPlatform>

/** Opens a process over the store of a home, with its own holder identity. */
export async function openTestProcess(options: {
  readonly home: string
  readonly number: number
  readonly kill: KillPoint | undefined
  /** Offset of its wall clock, in ms. */
  readonly skewMs?: number
  /** Factor by which its time passes faster. */
  readonly haste?: number
  /** Called for each effect. */
  readonly onEffect?: ((name: string, args: readonly unknown[]) => void) | undefined
  /** Injects faults into its ports. */
  readonly disturb?: Disturb | undefined
}): Promise<TestProcess> {
  const effects: string[] = []
  const died = Promise.withResolvers<'killed'>()
  let isDead = false
  const never = new Promise<never>(() => undefined)
  const embedded = await openEmbeddedPlatform({ home: options.home })
  const now = (): EpochMs => (embedded.clock.now() + (options.skewMs ?? 0)) as EpochMs
  const { haste = 1 } = options
  const { monotonicMs, sleep } = embedded.clock
  const clock: EmbeddedPlatform['clock'] = {
    ...embedded.clock,
    now,
    monotonicMs: () => monotonicMs() * haste,
    sleep: (ms, signal) => sleep(ms / haste, signal),
  }
  const clocked = { ...embedded, clock }
  const real = { ...clocked, ...options.disturb?.(clocked) }
  const die = (): Promise<never> => {
    isDead = true
    // A dead process must not receive any reply, and no message in particular.
    void real.close()
    died.resolve('killed')
    return never
  }
  const tracer = createTracer()
  const isReached = createCountdown(options.kill)
  const guard = <F extends (...args: never[]) => Promise<unknown>>(name: string, call: F): F => {
    const counts = isEffect(name)
    const named = name.startsWith('provider.') ? 'provider call' : name
    const callGuarded = async (
      args: Parameters<F>,
      noted: NotedEffect | undefined,
    ): Promise<unknown> => {
      if (isDead) return never
      if (noted !== undefined) effects.push(nameOf(name, args))
      if (noted !== undefined) options.onEffect?.(name, args)
      const isHere = noted !== undefined && isReached(nameOf(name, args), noted.rows)
      if (isHere && options.kill?.when === 'before') return die()
      const isRefused = isHere && options.kill?.when === 'refused'
      const result = await (isRefused ? refuse() : call(...args)).catch((thrown: unknown) => {
        // A process that dies after a call does not receive its refusal either.
        if (isHere && !isRefused) return undefined
        if (hasCode(thrown, 'STORE_UNAVAILABLE')) noted?.undo()
        throw thrown
      })
      if (isHere) return die()
      if (isDead) return never
      return name === 'chains.receive'
        ? tracer.trackDeliveries(result as readonly Delivery[])
        : result
    }
    // The effect is attributed in the caller's asynchronous context, so it is noted outside of the
    // call.
    const runGuarded = (...args: Parameters<F>): Promise<unknown> =>
      callGuarded(
        args,
        counts && !isDead && !isPreview(args) ? tracer.note(named, args) : undefined,
      )
    return runGuarded as unknown as F
  }
  const guardAll = <T extends object>(port: string, object: T): T =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [
        name,
        typeof value === 'function'
          ? guard(`${port}.${name}`, value as () => Promise<unknown>)
          : value,
      ]),
    ) as T
  const platform = {
    ...real,
    ...Object.fromEntries(portNames.map(name => [name, guardAll(name, real[name])])),
  } as EmbeddedPlatform
  const holder = { host: 'here', pid: options.number, started: 'then', who: 'a test' }
  return {
    platform,
    ports: {
      ...createGeneratorPorts(platform),
      holder,
      // The runs of a test follow each other: every other process is dead.
      isAlive: other => other.pid === options.number,
      endGroup: () => undefined,
      compact: deployment => compact(platform, deployment),
    },
    guardProvider: provider => ({
      ...provider,
      create: guard('provider.create', provider.create),
      update: guard('provider.update', provider.update),
      delete: guard('provider.delete', provider.delete),
    }),
    died: died.promise,
    effects,
    tracer,
    close: () => real.close(),
  }
}
