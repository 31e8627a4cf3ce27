import type { Platform } from '../../shared/ports/platform.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { createError } from '../../shared/errors/error.ts'
import { ProviderError } from '../../shared/providers/provider-error.ts'
import type { SendEffect } from './send-effect.ts'
import { createDraw } from './draw.ts'
import { type Fault, type FaultKind, canStrike } from './faults.ts'
import type { SimNode } from './node.ts'
import { createLostError, createUnreachedError } from './model-cloud.ts'
import { createSimPorts } from './sim-ports.ts'
import { withVersionRules } from './version-rules.ts'
import type { World } from './world.ts'

/** A running process, which sends requests to the outside and receives their results. */
export interface Launch {
  /**
   * `<step>.<start number>`, with `.e<number>` before the start number for an executor of the fleet,
   * and `+<count>` for a process that a fault started.
   */
  readonly key: string
  readonly node: SimNode
  readonly platform: Platform
  /** Sends an effect, such as a call of a provider. Lost provider calls are not repeated. */
  readonly sendEffect: SendEffect
  readonly nowMs: () => number
  /** Returns the number of effects so far. */
  readonly effects: () => number
  /**
   * Returns the deployment that the process works on. It is undefined before the first append to a
   * log and the first `noteDeployment`.
   */
  readonly deployment: () => DeploymentId | undefined
  readonly noteDeployment: (deployment: DeploymentId) => void
  /** Reports whether the plugins of the process run. Plugins may outlive their process. */
  readonly hasPlugins: () => boolean
  /** Ends the plugins of the process. Each pending call takes effect now or never. */
  readonly endPlugins: () => void
}

/** Handlers for consequences of a fault beyond the struck effect. */
export interface FaultHandlers {
  readonly onFault: (fault: Fault) => void
}

/** Effects that are not counted, and that no fault strikes, except for `leases.renew`. */
const uncountedEffects =
  /\.(?:read|get|getOutcome|getHeads|getEnds|list|getStack|listStacks|listHistory|listVersions|receive|renew|extend)$/

/**
 * Creates a promise that never settles. Each waiter has its own, because a promise keeps references
 * to all of its waiters.
 */
const createNever = (): Promise<never> => new Promise(() => undefined)

/** Launches a process over the ports of the world, with the faults that are assigned to it. */
export function launchProcess(
  world: World,
  options: {
    readonly key: string
    readonly node: SimNode
    /** Whether the process runs a version with newer rules. */
    readonly isNewer: boolean
    readonly faults: readonly Fault[]
    /** Faults that wait for their effect in all processes. */
    readonly sharedFaults: Set<Fault>
    readonly faultHandlers: FaultHandlers
  },
): Launch {
  const { scheduler } = world
  const { node, key } = options
  const draw = createDraw(node.number).fork(`${world.seed} network`)
  const assignedFaults = new Set(options.faults)
  let effects = 0
  let calls = 0
  let refusesUntilMs = 0
  /** The number of further calls that are refused, by port. */
  const refusalsByPort = new Map<string, number>()
  let renewalsRefusedUntilMs = 0
  let deployment: DeploymentId | undefined
  let havePluginsEnded = false
  /** The provider calls that have not reached the cloud. */
  const pendingCalls = new Set<() => void>()
  const drawTransitMs = (): number =>
    draw.chance(0.03) ? draw.integer(20, 400) : draw.integer(1, 12)
  const drawCallMs = (): number =>
    draw.chance(0.03) ? draw.integer(2_000, 12_000) : draw.integer(5, 400)

  /** Counts an effect, and takes the first waiting fault that strikes it, if there is one. */
  const takeFault = (name: string): Fault | undefined => {
    if (uncountedEffects.test(name) && name !== 'leases.renew') return undefined
    effects += 1
    for (const fault of [...assignedFaults, ...options.sharedFaults]) {
      if (fault.effect > effects || !canStrike(fault.kind, name)) continue
      assignedFaults.delete(fault)
      options.sharedFaults.delete(fault)
      world.cover('fault', fault.kind)
      world.trace(`${key} ${name}: ${fault.kind}`)
      return fault
    }
    return undefined
  }

  const sendEffect: SendEffect = (name, run, effectObserver) => {
    if (node.isDead()) return createNever()
    const isProviderCall = name.startsWith('provider.')
    const fault = takeFault(name)
    const { kind, magnitude } = fault ?? { kind: undefined, magnitude: 0 }
    if (fault !== undefined) options.faultHandlers.onFault(fault)
    if (kind === 'wall clock jumps') node.jump((magnitude - 0.5) * 7_200_000)
    if (kind === 'crash before an effect') node.crash()
    if (node.isDead()) return createNever()
    calls += 1
    const call = `${key} ${calls}`
    const nowMs = scheduler.nowMs()
    if (kind === 'store refuses once') return rejectUnavailable(name)
    const [port = ''] = name.split('.')
    if (kind === 'one port is throttled') refusalsByPort.set(port, 2 + Math.round(magnitude * 10))
    const refusals = refusalsByPort.get(port) ?? 0
    refusalsByPort.set(port, refusals - 1)
    if (refusals > 0) return rejectUnavailable(name)
    if (kind === 'store refuses for a while') refusesUntilMs = nowMs + 500 + magnitude * 40_000
    if (kind === 'lease cannot be renewed')
      renewalsRefusedUntilMs = nowMs + 30_000 + magnitude * 80_000
    if (!isProviderCall && !name.startsWith('hints.') && nowMs < refusesUntilMs)
      return rejectUnavailable(name)
    if (name === 'leases.renew' && nowMs < renewalsRefusedUntilMs) return rejectUnavailable(name)
    if (kind === 'provider refuses')
      return Promise.reject(new ProviderError(`${name} was refused`, { status: 'ok', code: 9 }))
    if (kind === 'plugin cannot be reached') return Promise.reject(createUnreachedError())
    if (kind === 'plugin crashes before a call') {
      effectObserver?.onOrphaned()
      return Promise.reject(createLostError())
    }
    const isSentLater =
      kind === 'freeze before an effect' ||
      (kind === 'freeze for longer than a lease' && magnitude < 0.5)
    effectObserver?.onSent()
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void =>
        void scheduler.after(drawTransitMs(), settle, node)
      const deliver = (isAnswered = true): void => {
        if (world.isTraced)
          world.trace(
            `${key} ${name}${effectObserver === undefined ? '' : ` ${effectObserver.label}`}`,
          )
        let result: ReturnType<typeof run>
        try {
          result = run(call, kind)
        } catch (thrown) {
          if (isAnswered) answer(() => reject(thrown))
          return
        }
        if (!isAnswered) {
          // An error without a receiver must not become an unhandled rejection.
          if (result instanceof Promise) result.catch(() => undefined)
          return
        }
        if (kind === 'plugin crashes after a call') {
          effectObserver?.onOrphaned()
          return answer(() => reject(createLostError()))
        }
        if (!(result instanceof Promise)) return answer(() => resolve(result))
        result.then(
          value => answer(() => resolve(value)),
          thrown => answer(() => reject(thrown)),
        )
      }
      let arrivalMs = isProviderCall ? drawCallMs() : drawTransitMs()
      if (kind === 'slow effect') arrivalMs += 2_000 + magnitude * 25_000
      if (kind === 'provider takes long') arrivalMs += 30_000 + magnitude * 100_000
      if (kind === 'crash after an effect' || kind === 'crash in a call that may be repeated') {
        node.crash()
        arrivalMs += magnitude < 0.5 ? 0 : (magnitude - 0.5) * 120_000
      }
      const freezeMs =
        kind === 'stalls as an operation begins'
          ? 45_000 + magnitude * 20_000
          : exceedsLease(kind)
            ? 95_000 + magnitude * 40_000
            : magnitude * 25_000
      if (kind === 'message lost' || kind === 'nudge lost')
        return answer(() => resolve(undefined as never))
      if (kind === 'message late') {
        scheduler.after(1_000 + magnitude * 100_000, () => deliver(false))
        return answer(() => resolve(undefined as never))
      }
      // The names of these kinds begin with `freeze`, `frozen` or `stalls`.
      if (kind?.startsWith('fr') === true || kind?.startsWith('stalls') === true)
        node.freeze(freezeMs)
      if (kind?.endsWith('lost, then repeated') === true) {
        scheduler.after(arrivalMs, () => deliver(false))
        scheduler.after(arrivalMs + 100 + magnitude * 3_000, deliver, node)
        return
      }
      // The square makes most copies arrive soon.
      if (kind?.startsWith('late copy') === true || kind === 'message twice')
        scheduler.after(arrivalMs + 5 + magnitude * magnitude * 60_000, () => deliver(false))
      const arrive = (): void => {
        if (isProviderCall && !pendingCalls.delete(arrive)) return
        // A sent call of a dead process may still take effect, or may be lost with the process.
        if (isProviderCall && node.isDead() && draw.chance(0.3)) return
        deliver()
      }
      if (isProviderCall) pendingCalls.add(arrive)
      scheduler.after(arrivalMs, arrive, isSentLater ? node : undefined)
    })
  }

  const platform = createSimPorts(world, { sendEffect, node, takeFault, drawTransitMs })
  const log = withVersionRules(world, options, platform.decisionLog)
  return {
    key,
    node,
    platform: {
      ...platform,
      decisionLog: {
        append(assignedDeployment, record) {
          deployment = assignedDeployment
          return log.append(assignedDeployment, record)
        },
        read: log.read,
      },
    },
    sendEffect,
    nowMs: scheduler.nowMs,
    effects: () => effects,
    deployment: () => deployment,
    noteDeployment(assignedDeployment) {
      deployment = assignedDeployment
    },
    hasPlugins: () => !havePluginsEnded && (!node.isDead() || pendingCalls.size > 0),
    endPlugins() {
      havePluginsEnded = true
      for (const arrive of [...pendingCalls])
        if (draw.chance(0.5)) arrive()
        else pendingCalls.delete(arrive)
    },
  }
}

function exceedsLease(kind: FaultKind | undefined): boolean {
  return kind === 'freeze for longer than a lease' || kind?.endsWith('deposed meanwhile') === true
}

function rejectUnavailable(name: string): Promise<never> {
  return Promise.reject(
    createError('STORE_UNAVAILABLE', `${name}: the store is temporarily unavailable`),
  )
}
