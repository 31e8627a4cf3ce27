import type { HookRules } from './hook-rules.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { ProviderError } from '../../shared/providers/provider-error.ts'
import type { PropertyMap } from '../../shared/values/value.ts'
import { stripSecretsInMap } from '../../shared/values/special-values.ts'

/** An object that exists in the model cloud. */
export interface ModelObject {
  readonly id: string
  readonly name: string
  readonly urn: string
  readonly inputs: PropertyMap
  /** The call that changed the object last. */
  readonly lastCall: ModelCall
}

/** A call that a process sends to the cloud. */
export interface ModelCall {
  readonly kind: 'create' | 'update' | 'delete' | 'read'
  readonly urn: string
  /** The id of the object; '' for a create. */
  readonly id: string
  readonly deployment: DeploymentId | undefined
  readonly sender: CallSender
  /** Whether the sender never receives the response, or received the error of a lost connection. */
  isOrphaned: boolean
  /** Whether its response arrived. */
  isAnswered: boolean
  /** Whether the sender no longer waits for the call. */
  isOver: boolean
  /** Maximum number of concurrent operations of the deployment. */
  readonly parallel: number
  /**
   * Whether all processes of the deployment share `parallel`. Otherwise the limit applies to each
   * process alone.
   */
  readonly isShared: boolean
  /** Whether the cloud refused the call, without an effect. */
  isRefused: boolean
}

/** A process from the viewpoint of the cloud: the sender of a call, and whether it lives. */
export interface CallSender {
  readonly key: string
  readonly isDead: () => boolean
  /**
   * Reports whether the process was frozen after it sent the call. Other processes may have
   * replaced it.
   */
  readonly wasFrozen: () => boolean
}

/**
 * A cloud that chooses ids itself and records every call. It knows none of the engine's records.
 */
export interface ModelCloud {
  readonly objects: ReadonlyMap<string, ModelObject>
  /** Calls in the order of their sending. */
  readonly calls: readonly ModelCall[]
  /** Ids of deleted objects, with the call that deleted them. */
  readonly deletingCalls: ReadonlyMap<string, ModelCall>
  /** Records that a call was sent, and checks the rules. */
  readonly onSent: (call: ModelCall) => void
  readonly create: (call: ModelCall, name: string, inputs: PropertyMap) => string
  readonly update: (call: ModelCall, inputs: PropertyMap) => void
  readonly remove: (call: ModelCall) => void
  /**
   * Changes or removes an object without a request, so that only a read finds the change. Returns
   * false if there was no such object.
   */
  readonly drift: (name: string, kind: 'changes' | 'vanishes') => boolean
  /** Ends the tolerance for drift, because every drifted object was read. */
  readonly acceptDrift: () => void
  /** Removes an object as a user would. */
  readonly removeByHand: (id: string) => void
  /** Records that a published state names an object. */
  readonly notePublished: (id: string) => void
  readonly onClosed: (deployment: DeploymentId) => void
  /** Returns the result of a function in the cloud: the number of all function calls so far. */
  readonly nextAnswer: () => number
  /** The rules for calls with hooks. */
  readonly hooks: HookRules
}

/**
 * Creates an empty cloud. Broken rules are reported to `violate`. `mayBeDeletedFirst`: objects that
 * may be deleted before their dependents, because their replacement comes later. `isForgotten`:
 * dependencies of a create that the current records no longer contain.
 */
export function createModelCloud(
  violate: (violation: string) => void,
  hooks: HookRules,
  rules: {
    readonly mayBeDeletedFirst: (name: string) => boolean
    readonly isForgotten: (dependent: string, dependency: string) => boolean
  },
): ModelCloud {
  const objects = new Map<string, ModelObject>()
  const calls: ModelCall[] = []
  const deletingCalls = new Map<string, ModelCall>()
  const publishedIds = new Set<string>()
  const closedDeployments = new Set<DeploymentId>()
  const sentCalls = new Map<string, ModelCall>()
  const driftCalls: ModelCall[] = []
  const runningCalls = new Set<ModelCall>()
  let count = 0
  let answers = 0
  const notFoundError = (call: ModelCall): ProviderError => {
    call.isRefused = true
    return new ProviderError(`there is no ${call.id}`, { status: 'ok', code: 5 })
  }
  return {
    objects,
    calls,
    deletingCalls,
    onSent(call) {
      calls.push(call)
      for (const runningCall of runningCalls)
        if (
          runningCall.isOver ||
          runningCall.isOrphaned ||
          runningCall.sender.isDead() ||
          runningCall.sender.wasFrozen()
        )
          runningCalls.delete(runningCall)
      runningCalls.add(call)
      const concurrent = [...runningCalls].filter(
        runningCall =>
          runningCall.deployment === call.deployment &&
          (call.isShared || runningCall.sender.key === call.sender.key),
      )
      if (concurrent.length > call.parallel)
        violate(
          `${concurrent.length} concurrent calls of ${call.deployment}, and the limit is ${call.parallel}`,
        )
      const { kind, urn, id, deployment, sender } = call
      if (kind === 'read') return
      hooks.onSent(call)
      if (deployment !== undefined && closedDeployments.has(deployment))
        violate(`${sender.key} began to ${kind} ${urn} after ${deployment} was closed`)
      const callKey = `${deployment} ${kind} ${kind === 'create' ? urn : id}`
      const earlierCall = sentCalls.get(callKey)
      sentCalls.set(callKey, call)
      if (earlierCall === undefined) return
      if (kind === 'create') violate(`${sender.key} created ${urn} a second time in ${deployment}`)
      else if (!earlierCall.sender.isDead() && !earlierCall.isOrphaned && !earlierCall.isRefused)
        violate(
          `${sender.key} sent ${kind} ${id} again while ${earlierCall.sender.key} still lived`,
        )
    },
    create(call, name, inputs) {
      count += 1
      const id = `${name}#${count}`
      objects.set(id, { id, name, urn: call.urn, inputs, lastCall: call })
      return id
    },
    update(call, inputs) {
      const existing = objects.get(call.id)
      if (existing === undefined) throw notFoundError(call)
      objects.set(call.id, { ...existing, inputs, lastCall: call })
    },
    remove(call) {
      if (!objects.has(call.id)) throw notFoundError(call)
      const name = nameOf(call.id)
      const isOrdered = !rules.mayBeDeletedFirst(name)
      // A request that no process awaits may take effect much later, which cannot be prevented.
      const laterCalls = isUnawaited(call) ? new Set(calls.slice(calls.indexOf(call))) : new Set()
      const dependents = isOrdered ? dependentsOf(objects, publishedIds, call.id) : []
      for (const { id, lastCall } of dependents)
        if (!laterCalls.has(lastCall) && !rules.isForgotten(nameOf(id), name))
          violate(`${call.id} was deleted before ${id}, which depends on it`)
      objects.delete(call.id)
      deletingCalls.set(call.id, call)
    },
    drift(name, kind) {
      const existing = [...objects.values()].find(object => object.name === name)
      if (existing === undefined) return false
      const lastCall: ModelCall = { ...existing.lastCall, kind: 'update', isAnswered: false }
      driftCalls.push(lastCall)
      const inputs = new Map([...existing.inputs, ['value', -1]])
      if (kind === 'changes') objects.set(existing.id, { ...existing, inputs, lastCall })
      else {
        objects.delete(existing.id)
        deletingCalls.set(existing.id, lastCall)
      }
      return true
    },
    acceptDrift() {
      for (const call of driftCalls) call.isAnswered = true
    },
    removeByHand: id => void objects.delete(id),
    onClosed(deployment) {
      closedDeployments.add(deployment)
      hooks.onClosed(deployment)
    },
    notePublished: id => void publishedIds.add(id),
    nextAnswer: () => (answers += 1),
    hooks,
  }
}

/**
 * Returns the objects of a published state that need this id, because one of their inputs refers to
 * it. The names of such inputs begin with `needs` or `fixed`.
 */
function dependentsOf(
  objects: ReadonlyMap<string, ModelObject>,
  publishedIds: ReadonlySet<string>,
  id: string,
): readonly ModelObject[] {
  return (
    [...objects.values()]
      // The request of a dead process may take effect after later ones, which cannot be prevented.
      .filter(
        ({ id: dependentId, lastCall }) =>
          publishedIds.has(dependentId) && (lastCall.isAnswered || !lastCall.sender.isDead()),
      )
      .filter(({ inputs }) =>
        [...stripSecretsInMap(inputs)].some(
          ([key, value]) => /^(?:needs|fixed)/.test(key) && value === id,
        ),
      )
  )
}

function nameOf(id: string): string {
  return id.replace(/#.*/, '')
}

/** Reports whether no process waits for the result of a call. */
function isUnawaited({ isOrphaned, isOver, sender }: ModelCall): boolean {
  return isOrphaned || isOver || sender.isDead()
}

/** Returns the error of a call whose connection is lost. */
export function createLostError(): ProviderError {
  return new ProviderError('the plugin is gone', { status: 'lost', code: 14 })
}

/** Returns the error of a call that reached no plugin. */
export function createUnreachedError(): ProviderError {
  return new ProviderError('no connection', { status: 'ok', code: 14, isRequestUnsent: true })
}
