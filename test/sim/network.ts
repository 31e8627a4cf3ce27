import type { Platform } from '../../shared/ports/platform.ts'
import type { ChainQueuePort } from '../../shared/ports/queue.ts'
import type { DeploymentId, OperationId } from '../../shared/records/ids.ts'
import { error } from '../../shared/errors/error.ts'
import { silentLog } from '../../shared/platform/system/log.ts'
import { ProviderError } from '../../shared/providers/provider.ts'
import { createDraw } from './draw.ts'
import { type Fault, type FaultKind, strikes } from './faults.ts'
import type { SimNode } from './node.ts'
import { lost } from './cloud.ts'
import type { World } from './world.ts'

/** One process at its work: what it asks of the outside, and what becomes of that. */
export interface Launch {
  /** `<step>.<life>` */
  readonly key: string
  readonly node: SimNode
  readonly platform: Platform
  /** Asks a provider: as any effect, but nobody repeats what got lost. */
  readonly ask: Ask
  /** Effects so far. */
  readonly effects: () => number
  /** The deployment that it works on, once it has written to its log. */
  readonly deployment: () => DeploymentId | undefined
}

/** Carries an effect over the network: there after a while, back after another, or not. */
export type Ask = <T>(
  name: string,
  run: (call: string, kind?: FaultKind) => T | Promise<T>,
  watched?: Watched,
) => Promise<T>

/** Whoever wants to know what becomes of a request. */
export interface Watched {
  /** What it is about, for the trace. */
  readonly label: string
  /** It leaves the process. */
  readonly sent: () => void
  /** Its sender will not hear what came of it. */
  readonly orphan: () => void
}

/** What a fault can make a launch do besides what it does to the effect. */
export interface Levers {
  readonly pull: (fault: Fault) => void
}

const reads =
  /\.(?:read|get|outcome|heads|ends|list|stack|stacks|history|versions|receive|renew|extend)$/
const never = new Promise<never>(() => undefined)

/** The ports of one process over the world, struck by the faults that are meant for it. */
export function launchOn(
  world: World,
  about: {
    readonly key: string
    readonly node: SimNode
    readonly faults: readonly Fault[]
    readonly levers: Levers
  },
): Launch {
  const { scheduler, store } = world
  const { node, key } = about
  const draw = createDraw(node.number).fork(`${world.seed} network`)
  const open = new Set(about.faults)
  let effects = 0
  let calls = 0
  let refusesUntilMs = 0
  let renewsFromMs = 0
  let deployment: DeploymentId | undefined
  const wayMs = (): number => (draw.chance(0.03) ? draw.whole(20, 400) : draw.whole(1, 12))
  const callMs = (): number => (draw.chance(0.04) ? draw.whole(2_000, 30_000) : draw.whole(5, 400))

  const struck = (name: string): Fault | undefined => {
    if (reads.test(name) && name !== 'leases.renew') return undefined
    effects += 1
    for (const fault of open) {
      if (fault.effect > effects || !strikes(fault.kind, name)) continue
      open.delete(fault)
      world.covered('fault', fault.kind)
      world.trace(`${key} ${name}: ${fault.kind}`)
      return fault
    }
    return undefined
  }

  const ask: Ask = (name, run, watched) => {
    if (node.isDead()) return never
    const isCall = name.startsWith('provider.')
    const fault = struck(name)
    const { kind, size } = fault ?? { kind: undefined, size: 0 }
    if (fault !== undefined) about.levers.pull(fault)
    if (kind === 'wall clock jumps') node.jump((size - 0.5) * 7_200_000)
    if (kind === 'crash before an effect') node.crash()
    if (node.isDead()) return never
    calls += 1
    const call = `${key} ${calls}`
    const nowMs = scheduler.nowMs()
    if (kind === 'store refuses once') return refused(name)
    if (kind === 'store refuses for a while') refusesUntilMs = nowMs + 500 + size * 40_000
    if (kind === 'lease cannot be renewed') renewsFromMs = nowMs + 30_000 + size * 80_000
    if (!isCall && !name.startsWith('hints.') && nowMs < refusesUntilMs) return refused(name)
    if (name === 'leases.renew' && nowMs < renewsFromMs) return refused(name)
    if (kind === 'provider refuses')
      return Promise.reject(new ProviderError(`${name} was refused`, { status: 'ok', code: 9 }))
    if (kind === 'plugin crashes before a call') {
      watched?.orphan()
      return Promise.reject(lost())
    }
    const isSentLater =
      kind === 'freeze before an effect' ||
      (kind === 'freeze for longer than a lease' && size < 0.5)
    if (!isSentLater) watched?.sent()
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void => void scheduler.after(wayMs(), settle, node)
      const land = (isHeard = true): void => {
        world.trace(`${key} ${name}${watched === undefined ? '' : ` ${watched.label}`}`)
        let result: ReturnType<typeof run>
        try {
          result = run(call, kind)
        } catch (thrown) {
          if (isHeard) answer(() => reject(thrown))
          return
        }
        if (!isHeard) return
        if (kind === 'plugin crashes after a call') {
          watched?.orphan()
          return answer(() => reject(lost()))
        }
        if (!(result instanceof Promise)) return answer(() => resolve(result))
        result.then(
          value => answer(() => resolve(value)),
          thrown => answer(() => reject(thrown)),
        )
      }
      let thereMs = isCall ? callMs() : wayMs()
      if (kind === 'slow effect') thereMs += 2_000 + size * 40_000
      if (kind === 'provider takes long') thereMs += 30_000 + size * 170_000
      if (kind === 'crash after an effect') {
        node.crash()
        thereMs += size < 0.5 ? 0 : (size - 0.5) * 120_000
      }
      const freezeMs =
        kind === 'freeze for longer than a lease' ? 95_000 + size * 60_000 : size * 25_000
      if (kind === 'message lost') return answer(() => resolve(undefined as never))
      if (kind === 'message late') {
        scheduler.after(1_000 + size * 100_000, () => land(false))
        return answer(() => resolve(undefined as never))
      }
      if (kind?.startsWith('freeze') === true) node.freeze(freezeMs)
      if (kind?.endsWith('lost, then repeated') === true) {
        scheduler.after(thereMs, () => land(false))
        scheduler.after(thereMs + 100 + size * 3_000, land, node)
        return
      }
      if (kind?.startsWith('late copy') === true || kind === 'message twice')
        scheduler.after(thereMs + 5 + size * size * 60_000, () => land(false))
      scheduler.after(
        thereMs,
        () => {
          // What a dead process had sent may still arrive, or may have got lost with it.
          if (isCall && node.isDead() && draw.chance(0.3)) return
          if (isSentLater) watched?.sent()
          land()
        },
        isSentLater ? node : undefined,
      )
    })
  }

  const platform = portsOf(world, { ask, node, struck, wayMs })
  return {
    key,
    node,
    platform: {
      ...platform,
      log: {
        ...platform.log,
        append: (of, decided) => {
          deployment = of
          return ask('log.append', () => store.log.append(of, decided))
        },
      },
    },
    ask,
    effects: () => effects,
    deployment: () => deployment,
  }
}

/** Nothing is old enough to be removed in a simulated world. */
function notHere(): never {
  throw new TypeError('nothing is removed here')
}

function refused(name: string): Promise<never> {
  return Promise.reject(error('STORE_UNAVAILABLE', `${name}: the store has a bad moment`))
}

/** Every port of a process; each call is one effect of its own. */
function portsOf(
  world: World,
  about: {
    readonly ask: Ask
    readonly node: SimNode
    readonly struck: (name: string) => Fault | undefined
    readonly wayMs: () => number
  },
): Platform {
  const { store, queue, scheduler } = world
  const { ask, node } = about
  const over = <Port extends object>(name: string, port: object): Port =>
    Object.fromEntries(
      Object.entries(port).map(([method, run]: [string, (...args: unknown[]) => unknown]) => [
        method,
        (...args: unknown[]) => ask(`${name}.${method}`, call => run(...args, call)),
      ]),
    ) as Port
  const operations: Platform['operations'] = over('operations', store.operations)
  /** Only single records are linearizable: two halves are read at two moments. */
  const inHalves = <T>(
    read: (ids: readonly OperationId[]) => Promise<ReadonlyMap<OperationId, T>>,
    ids: readonly OperationId[],
  ): Promise<ReadonlyMap<OperationId, T>> => {
    if (ids.length < 2) return read(ids)
    const middle = ids.length >> 1
    return Promise.all([read(ids.slice(middle)), read(ids.slice(0, middle))]).then(
      ([late, early]) => new Map([...late, ...early]),
    )
  }
  const chains: ChainQueuePort = {
    send: messages => {
      for (const message of messages) world.observer.kept(JSON.stringify(message))
      return ask('chains.send', (_call, kind) => {
        // Messages lie: also about what is ready.
        const early = messages.map(({ deployment, operations }) => ({
          deployment,
          operations: operations.map(id => (id + 1) as OperationId),
        }))
        return queue.send(kind === 'message before its time' ? [...early, ...messages] : messages)
      })
    },
    receive: (max, waitMs, which) => ask('chains.receive', () => queue.receive(max, waitMs, which)),
    remove: receipt => ask('chains.remove', () => queue.remove(receipt)),
    extend: (receipt, ms) => ask('chains.extend', () => queue.extend(receipt, ms)),
    deadLetters: deployment => ask('chains.list', () => queue.deadLetters(deployment)),
    redrive: deployment => ask('chains.redrive', () => queue.redrive(deployment)),
  }
  return {
    log: over('log', store.log),
    operations: {
      ...operations,
      heads: (deployment, ids) => inHalves(half => operations.heads(deployment, half), ids),
      ends: (deployment, ids) => inHalves(half => operations.ends(deployment, half), ids),
    },
    control: over('control', store.control),
    leases: over('leases', store.leases),
    events: over('events', store.events),
    catalog: over('catalog', store.catalog),
    blobs: over('blobs', store.blobs),
    chains,
    retention: {
      deployments: notHere,
      removeRecords: notHere,
      removeVersions: notHere,
      references: notHere,
    },
    blobSweep: {
      list: notHere,
      setAside: notHere,
      putBack: notHere,
      remove: notHere,
      removeUnfinished: notHere,
    },
    nudges: { nudge: () => Promise.resolve(), receive: () => never },
    hints: {
      hint(deployment, operation) {
        if (node.isDead()) return
        const kind = about.struck('hints.hint')?.kind
        if (kind === 'hint lost') return
        const lateMs = kind === 'hint late and twice' ? 40_000 : 0
        scheduler.after(about.wayMs(), () => world.hints.tell(deployment, operation))
        if (lateMs > 0) scheduler.after(lateMs, () => world.hints.tell(deployment, operation))
      },
      listen: (deployment, heard) =>
        world.hints.listen(
          deployment,
          operation => void scheduler.after(0, () => heard(operation), node),
        ),
    },
    clock: node.clock,
    random: node.random,
    journal: silentLog,
  }
}
