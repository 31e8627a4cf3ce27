import type { HookRules } from './hook-rules.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { ProviderError } from '../../shared/providers/provider-error.ts'
import type { PropertyMap } from '../../shared/values/value.ts'
import { stripMap } from '../../shared/values/walk.ts'

/** An object that exists in the model cloud. */
export interface ModelObject {
  readonly id: string
  readonly name: string
  readonly urn: string
  readonly inputs: PropertyMap
  /** The call that changed it last. */
  readonly by: ModelCall
}

/** A call that arrived, from any sender. */
export interface ModelCall {
  readonly kind: 'create' | 'update' | 'delete' | 'read'
  readonly urn: string
  /** Id of its object; '' for a create. */
  readonly id: string
  readonly deployment: DeploymentId | undefined
  readonly sender: CallSender
  /** Whether the sender never receives the response, or was told that the connection is lost. */
  orphaned: boolean
  /** Whether its response arrived. */
  isAnswered: boolean
  /** Whether its sender no longer waits for it. */
  isOver: boolean
  /** Maximum number of concurrent operations of its deployment. */
  readonly parallel: number
  /**
   * Whether processes share that limit. Otherwise each process that considers itself the leader has
   * its own.
   */
  readonly isShared: boolean
  /** Whether the cloud refused it, without an effect. */
  isRefused: boolean
}

/** A process from the viewpoint of the cloud: the sender of a call, and whether it lives. */
export interface CallSender {
  readonly key: string
  readonly isDead: () => boolean
  /**
   * Reports whether it was frozen since it sent something. Other processes may have replaced it.
   */
  readonly hasSlept: () => boolean
}

/**
 * A cloud that chooses ids itself and records every call. It knows none of the engine's records.
 */
export interface ModelCloud {
  readonly objects: ReadonlyMap<string, ModelObject>
  /** Calls in the order of their sending. */
  readonly calls: readonly ModelCall[]
  /** Ids of deleted objects, with the call that deleted them. */
  readonly gone: ReadonlyMap<string, ModelCall>
  /** Records that a call was sent, and checks the rules. */
  readonly onSent: (call: ModelCall) => void
  readonly create: (call: ModelCall, name: string, inputs: PropertyMap) => string
  readonly update: (call: ModelCall, inputs: PropertyMap) => void
  readonly remove: (call: ModelCall) => void
  /**
   * Changes or removes an object without a request; only a read finds that. Returns whether the
   * object exists.
   */
  readonly drift: (name: string, kind: 'changes' | 'vanishes') => boolean
  /** Ends the tolerance for drift: every drifted object was read since. */
  readonly acceptDrift: () => void
  /** Removes an object as a user would. */
  readonly clear: (id: string) => void
  /** Records that a published state names an object. */
  readonly keep: (id: string) => void
  readonly onClosed: (deployment: DeploymentId) => void
  /** Returns the number of calls of a cloud function; its result differs each time. */
  readonly nextAnswer: () => number
  /** The rules for calls with hooks. */
  readonly hooks: HookRules
}

/**
 * Creates an empty cloud; broken rules are reported to `violate`. `goesFirst`: objects that may be
 * deleted before their dependents, because their replacement comes later. `isForgotten`:
 * dependencies of a create that the current records no longer contain.
 */
export function createModelCloud(
  violate: (what: string) => void,
  hooks: HookRules,
  rules: {
    readonly goesFirst: (name: string) => boolean
    readonly isForgotten: (user: string, on: string) => boolean
  },
): ModelCloud {
  const objects = new Map<string, ModelObject>()
  const calls: ModelCall[] = []
  const gone = new Map<string, ModelCall>()
  const kept = new Set<string>()
  const closed = new Set<DeploymentId>()
  const sentBefore = new Map<string, ModelCall>()
  const drifted: ModelCall[] = []
  const running = new Set<ModelCall>()
  let count = 0
  let answers = 0
  const notFoundError = (call: ModelCall): ProviderError => {
    call.isRefused = true
    return new ProviderError(`there is no ${call.id}`, { status: 'ok', code: 5 })
  }
  return {
    objects,
    calls,
    gone,
    onSent(call) {
      calls.push(call)
      for (const one of running)
        if (one.isOver || one.orphaned || one.sender.isDead() || one.sender.hasSlept())
          running.delete(one)
      running.add(call)
      const concurrent = [...running].filter(
        one =>
          one.deployment === call.deployment &&
          (call.isShared || one.sender.key === call.sender.key),
      )
      if (concurrent.length > call.parallel)
        violate(
          `${concurrent.length} concurrent calls of ${call.deployment}, and the limit is ${call.parallel}`,
        )
      const { kind, urn, id, deployment, sender } = call
      if (kind === 'read') return
      hooks.onSent(call)
      if (deployment !== undefined && closed.has(deployment))
        violate(`${sender.key} began to ${kind} ${urn} after ${deployment} was closed`)
      const what = `${deployment} ${kind} ${kind === 'create' ? urn : id}`
      const before = sentBefore.get(what)
      sentBefore.set(what, call)
      if (before === undefined) return
      if (kind === 'create') violate(`${sender.key} created ${urn} a second time in ${deployment}`)
      else if (!before.sender.isDead() && !before.orphaned && !before.isRefused)
        violate(`${sender.key} sent ${kind} ${id} again while ${before.sender.key} still lived`)
    },
    create(call, name, inputs) {
      count += 1
      const id = `${name}#${count}`
      objects.set(id, { id, name, urn: call.urn, inputs, by: call })
      return id
    },
    update(call, inputs) {
      const found = objects.get(call.id)
      if (found === undefined) throw notFoundError(call)
      objects.set(call.id, { ...found, inputs, by: call })
    },
    remove(call) {
      if (!objects.has(call.id)) throw notFoundError(call)
      const name = nameOf(call.id)
      const isOrdered = !rules.goesFirst(name)
      // A request whose sender is dead may land much later, and cannot be prevented.
      const since = isUnawaited(call) ? new Set(calls.slice(calls.indexOf(call))) : new Set()
      for (const { id: user, by } of isOrdered ? usersOf(objects, kept, call.id) : [])
        if (!since.has(by) && !rules.isForgotten(nameOf(user), name))
          violate(`${call.id} was deleted before ${user}, which depends on it`)
      objects.delete(call.id)
      gone.set(call.id, call)
    },
    drift(name, kind) {
      const found = [...objects.values()].find(object => object.name === name)
      if (found === undefined) return false
      const by: ModelCall = { ...found.by, kind: 'update', isAnswered: false }
      drifted.push(by)
      const inputs = new Map([...found.inputs, ['value', -1]])
      if (kind === 'changes') objects.set(found.id, { ...found, inputs, by })
      else {
        objects.delete(found.id)
        gone.set(found.id, by)
      }
      return true
    },
    acceptDrift() {
      for (const call of drifted) call.isAnswered = true
    },
    clear: id => void objects.delete(id),
    onClosed(deployment) {
      closed.add(deployment)
      hooks.onClosed(deployment)
    },
    keep: id => void kept.add(id),
    nextAnswer: () => (answers += 1),
    hooks,
  }
}

/**
 * Returns the objects that a published state names and that need this id: an input refers to it.
 */
function usersOf(
  objects: ReadonlyMap<string, ModelObject>,
  kept: ReadonlySet<string>,
  id: string,
): readonly ModelObject[] {
  return (
    [...objects.values()]
      // The request of a dead process may land after later requests, and cannot be prevented.
      .filter(({ id: user, by }) => kept.has(user) && (by.isAnswered || !by.sender.isDead()))
      .filter(({ inputs }) =>
        [...stripMap(inputs)].some(([key, value]) => /^(?:needs|fixed)/.test(key) && value === id),
      )
  )
}

function nameOf(id: string): string {
  return id.replace(/#.*/, '')
}

/** Reports whether no process waits for the result of a call. */
function isUnawaited({ orphaned, isOver, sender }: ModelCall): boolean {
  return orphaned || isOver || sender.isDead()
}

/** Returns the error of a call whose connection is lost. */
export function lostError(): ProviderError {
  return new ProviderError('the plugin is gone', { status: 'lost', code: 14 })
}

/** Returns the error of a call that reached no plugin. */
export function unreachedError(): ProviderError {
  return new ProviderError('no connection', { status: 'ok', code: 14, isRequestUnsent: true })
}
