import { compact } from '../../shared/runtime/compaction/fold-and-publish.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { createGeneratorPorts } from '../../local/local-engine.ts'
import { createError, hasCode } from '../../shared/errors/error.ts'
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

/**
 * The point at which a process dies: before one of its effects, or after the effect and before the
 * reply. Effects are the calls of the table in shared/records/order-of-effects.ts.
 */
export interface KillPoint {
  /** The number of the effect, from 1, among those that the next three fields select. */
  readonly effect: number
  /** Counts only effects with this name. The order of other effects may differ from run to run. */
  readonly call?: string
  /** Counts only effects that match this row of the table. */
  readonly row?: EffectRow
  /** Counts only effects after this function has returned true. */
  readonly isArmed?: () => boolean
  /**
   * `before`, `after`: the process dies before or after the effect. `refused`: the process lives,
   * and this one effect fails with `STORE_UNAVAILABLE`.
   */
  readonly when: 'before' | 'after' | 'refused'
}

/** Thrown for a run that was killed, with its effects so far. */
export class ProcessKilledError extends Error {
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
  /** Compares the effects with the lists of the table. */
  readonly tracer: Tracer
  readonly close: () => Promise<void>
}

/** The ports whose calls are effects of a process, except those that the table omits. */
const portNames = [
  'decisionLog',
  'blobs',
  'archives',
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

/** Returns the name of an effect. An append is named after its decisions. */
function nameOf(name: string, args: readonly unknown[]): string {
  if (name !== 'decisionLog.append') return name
  const { decisions } = args[1] as LogRecord
  const kinds = decisions.map(decision =>
    decision.kind === 'phase' ? `phase ${decision.phase}` : decision.kind,
  )
  return `decisionLog.append ${kinds.join(' + ')}`
}

/** Returns a function that reports whether an effect is the kill point. */
function createCountdown(
  kill: KillPoint | undefined,
): (name: string, rows: readonly EffectRow[]) => boolean {
  let count = 0
  return (name, rows) => {
    if (kill === undefined) return false
    const { call, row, isArmed } = kill
    const isCounted =
      isArmed?.() !== false &&
      (call === undefined || name === call) &&
      (row === undefined ||
        rows.some(effectRow => effectRow.list === row.list && effectRow.row === row.row))
    if (isCounted) count += 1
    return isCounted && count === kill.effect
  }
}

const refuse = (): Promise<never> =>
  Promise.reject(createError('STORE_UNAVAILABLE', 'the store is temporarily unavailable'))

/** Reports whether a provider call is part of a preview, which changes nothing. */
function isPreview([request]: readonly unknown[]): boolean {
  return (
    typeof request === 'object' &&
    request !== null &&
    'preview' in request &&
    request.preview === true
  )
}

/** A function that returns the ports with injected faults. The other ports do not change. */
export type InjectFaults = (platform: EmbeddedPlatform) => Partial<EmbeddedPlatform>

/** Opens a process over the store of a home, with its own holder identity. */
export async function openTestProcess(options: {
  readonly home: string
  readonly number: number
  readonly kill: KillPoint | undefined
  /** Offset of the wall clock of the process, in ms. */
  readonly skewMs?: number
  /** Factor by which the time of the process passes faster. */
  readonly timeFactor?: number
  /** Called for each effect. */
  readonly onEffect?: ((name: string, args: readonly unknown[]) => void) | undefined
  /** Injects faults into the ports of the process. */
  readonly injectFaults?: InjectFaults | undefined
}): Promise<TestProcess> {
  const effects: string[] = []
  const died = Promise.withResolvers<'killed'>()
  let isDead = false
  const neverSettles = new Promise<never>(() => undefined)
  const embedded = await openEmbeddedPlatform({ home: options.home })
  const now = (): EpochMs => (embedded.clock.now() + (options.skewMs ?? 0)) as EpochMs
  const { timeFactor = 1 } = options
  const { monotonicMs, sleep } = embedded.clock
  const clock: EmbeddedPlatform['clock'] = {
    ...embedded.clock,
    now,
    monotonicMs: () => monotonicMs() * timeFactor,
    sleep: (ms, signal) => sleep(ms / timeFactor, signal),
  }
  const skewedPlatform = { ...embedded, clock }
  const faultyPlatform = { ...skewedPlatform, ...options.injectFaults?.(skewedPlatform) }
  const die = (): Promise<never> => {
    isDead = true
    // A dead process must not receive any reply, and no message in particular.
    void faultyPlatform.close()
    died.resolve('killed')
    return neverSettles
  }
  const tracer = createTracer()
  const isReached = createCountdown(options.kill)
  const guard = <F extends (...args: never[]) => Promise<unknown>>(name: string, call: F): F => {
    const isEffectCall = isEffect(name)
    const tracedName = name.startsWith('provider.') ? 'provider call' : name
    const callGuarded = async (
      args: Parameters<F>,
      notedEffect: NotedEffect | undefined,
    ): Promise<unknown> => {
      if (isDead) return neverSettles
      if (notedEffect !== undefined) effects.push(nameOf(name, args))
      if (notedEffect !== undefined) options.onEffect?.(name, args)
      const isKillPoint =
        notedEffect !== undefined && isReached(nameOf(name, args), notedEffect.rows)
      if (isKillPoint && options.kill?.when === 'before') return die()
      const isRefused = isKillPoint && options.kill?.when === 'refused'
      const result = await (isRefused ? refuse() : call(...args)).catch((thrown: unknown) => {
        // A process that dies after a call receives no error of the call either.
        if (isKillPoint && !isRefused) return undefined
        if (hasCode(thrown, 'STORE_UNAVAILABLE')) notedEffect?.undo()
        throw thrown
      })
      if (isKillPoint) return die()
      if (isDead) return neverSettles
      return name === 'chains.receive'
        ? tracer.trackDeliveries(result as readonly Delivery[])
        : result
    }
    // The tracer reads the caller's stack trace and sets the caller's asynchronous context. So the
    // effect is noted outside of the asynchronous function.
    const runGuarded = (...args: Parameters<F>): Promise<unknown> =>
      callGuarded(
        args,
        isEffectCall && !isDead && !isPreview(args) ? tracer.note(tracedName, args) : undefined,
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
    ...faultyPlatform,
    ...Object.fromEntries(portNames.map(name => [name, guardAll(name, faultyPlatform[name])])),
  } as EmbeddedPlatform
  const holder = { host: 'here', pid: options.number, started: 'then', who: 'a test' }
  return {
    platform,
    ports: {
      ...createGeneratorPorts(platform),
      holder,
      // The runs of a test follow each other, so every other process is dead.
      isAlive: other => other.pid === options.number,
      endProcessGroup: () => undefined,
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
    close: () => faultyPlatform.close(),
  }
}
