import { compact } from '../../functions/compaction/handle.ts'
import type { GeneratorPorts } from '../../functions/step-generator/start.ts'
import { portsOf } from '../../local/local.ts'
import { error } from '../../shared/errors/error.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/platform.ts'
import type { Provider } from '../../shared/providers/provider.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { LogRecord } from '../../shared/records/log.ts'

/** When a process dies: before its n-th effect, or after it and before it hears of it. */
export interface Killing {
  readonly effect: number
  /** Counts only effects of this name: the order of others may differ from run to run. */
  readonly call?: string
  /** `refused`: it does not die, the store only refuses this one effect. */
  readonly when: 'before' | 'after' | 'refused'
}

/** Thrown for a run that was killed; names the effects that it came to. */
export class Killed extends Error {
  readonly effects: readonly string[]
  constructor(effects: readonly string[]) {
    super(`killed at ${effects.length}: ${effects.at(-1) ?? 'the start'}`)
    this.effects = effects
  }
}

/** One process as far as its effects go: what it did, and whether it still lives. */
export interface TestProcess {
  readonly platform: EmbeddedPlatform
  readonly ports: GeneratorPorts
  readonly guardProvider: (provider: Provider) => Provider
  readonly died: Promise<'killed'>
  readonly effects: readonly string[]
  readonly close: () => Promise<void>
}

/** The ports whose calls are effects of a process, and those of their methods that only read. */
const guarded = [
  'log',
  'blobs',
  'operations',
  'control',
  'catalog',
  'leases',
  'chains',
  'events',
  'nudges',
] as const
const reads =
  /^(?:read|get|outcome|heads|ends|list|stack|stacks|history|versions|receive|renew|extend|late)$/

/** An append is told by what it decides. */
function nameOf(name: string, args: readonly unknown[]): string {
  if (name !== 'log.append') return name
  const { decisions } = args[1] as LogRecord
  return `log.append ${decisions.map(({ kind }) => kind).join(' + ')}`
}

/** Whether the effect that came last is the one to die at. */
function reached(kill: Killing | undefined, effects: readonly string[]): boolean {
  if (kill?.call === undefined) return effects.length === kill?.effect
  return (
    effects.at(-1) === kill.call &&
    effects.filter(name => name === kill.call).length === kill.effect
  )
}

/** Opens a process of its own over the store of a home, with a holder identity of its own. */
export async function openProcess(about: {
  readonly home: string
  readonly number: number
  readonly kill: Killing | undefined
  /** How far its wall clock is ahead of the others', in ms. */
  readonly skewMs?: number
  /** How many times as fast as ours its time passes. */
  readonly haste?: number
  /** Hears each effect. */
  readonly heard?: ((name: string, asked: readonly unknown[]) => void) | undefined
}): Promise<TestProcess> {
  const effects: string[] = []
  const died = Promise.withResolvers<'killed'>()
  let isDead = false
  const never = new Promise<never>(() => undefined)
  const embedded = await openEmbeddedPlatform({ home: about.home })
  const now = (): EpochMs => (embedded.clock.now() + (about.skewMs ?? 0)) as EpochMs
  const { haste = 1 } = about
  const { monotonicMs, sleep } = embedded.clock
  const clock: EmbeddedPlatform['clock'] = {
    ...embedded.clock,
    now,
    monotonicMs: () => monotonicMs() * haste,
    sleep: (ms, signal) => sleep(ms / haste, signal),
  }
  const real = { ...embedded, clock }
  const die = (): Promise<never> => {
    isDead = true
    // What it waits for must not come to it any more, a message least of all.
    void real.close()
    died.resolve('killed')
    return never
  }
  const guard = <F extends (...args: never[]) => unknown>(name: string, call: F): F => {
    const isRead = reads.test(name.split('.')[1] ?? '')
    const around = async (...args: Parameters<F>): Promise<unknown> => {
      if (isDead) return never
      if (!isRead) effects.push(nameOf(name, args))
      if (!isRead) about.heard?.(name, args)
      const isHere = !isRead && reached(about.kill, effects)
      if (isHere && about.kill?.when === 'before') return die()
      if (isHere && about.kill?.when === 'refused')
        throw error('STORE_UNAVAILABLE', 'the store has a bad moment')
      const result = await call(...args)
      if (isHere) return die()
      return isDead ? never : result
    }
    return around as unknown as F
  }
  const guardAll = <T extends object>(port: string, object: T): T =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [
        name,
        typeof value === 'function' ? guard(`${port}.${name}`, value as () => unknown) : value,
      ]),
    ) as T
  const platform = {
    ...real,
    ...Object.fromEntries(guarded.map(name => [name, guardAll(name, real[name])])),
  } as EmbeddedPlatform
  const holder = { host: 'here', pid: about.number, started: 'then', who: 'a test' }
  return {
    platform,
    ports: {
      ...portsOf(platform),
      holder,
      // Runs of a test follow each other: whoever is not this one is dead.
      isAlive: other => other.pid === about.number,
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
    close: () => real.close(),
  }
}
