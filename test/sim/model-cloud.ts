import type { HookRules } from './hook-rules.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { ProviderError } from '../../shared/providers/provider-error.ts'
import type { PropertyMap } from '../../shared/values/value.ts'
import { stripMap } from '../../shared/values/walk.ts'

/** Something that exists in the model cloud. */
export interface ModelObject {
  readonly id: string
  readonly name: string
  readonly urn: string
  readonly inputs: PropertyMap
  /** The call that changed it last. */
  readonly by: ModelCall
}

/** A call that arrived, whoever sent it. */
export interface ModelCall {
  readonly kind: 'create' | 'update' | 'delete' | 'read'
  readonly urn: string
  /** The id that it is about; '' for a create. */
  readonly id: string
  readonly deployment: DeploymentId | undefined
  readonly sender: CallSender
  /** Whether the sender will never hear, or heard that the connection is lost. */
  orphaned: boolean
  /** Whether its answer came back. */
  isAnswered: boolean
  /** Whether its sender waits for it no more. */
  isOver: boolean
  /** Most operations of its deployment that may run at once. */
  readonly parallel: number
  /** Whether processes share that bound; else each that thinks it leads has it for itself. */
  readonly isShared: boolean
  /** Whether the cloud refused it: then nothing came of it. */
  isRefused: boolean
}

/** A process as the cloud knows it: only that it sent something, and whether it is still there. */
export interface CallSender {
  readonly key: string
  readonly isDead: () => boolean
  /** Whether it was frozen since it sent something: then others may have taken its place. */
  readonly hasSlept: () => boolean
}

/**
 * A cloud that chooses ids itself and remembers every call. Nothing of the engine's records is
 * known here.
 */
export interface ModelCloud {
  readonly objects: ReadonlyMap<string, ModelObject>
  /** Calls in the order in which they were sent. */
  readonly calls: readonly ModelCall[]
  /** Ids of what was deleted, with the call that did it. */
  readonly gone: ReadonlyMap<string, ModelCall>
  /** Notes that a call was sent, which may be against the rules. */
  readonly onSent: (call: ModelCall) => void
  readonly create: (call: ModelCall, name: string, inputs: PropertyMap) => string
  readonly update: (call: ModelCall, inputs: PropertyMap) => void
  readonly remove: (call: ModelCall) => void
  /** What happens by itself: nobody knows until the object is read. Answers whether it is there. */
  readonly drift: (name: string, kind: 'changes' | 'vanishes') => boolean
  /** Everything that happened by itself was read by now: it is no excuse any more. */
  readonly acceptDrift: () => void
  /** What a person does by hand. */
  readonly clear: (id: string) => void
  /** Notes that a published state names an object. */
  readonly keep: (id: string) => void
  readonly onClosed: (deployment: DeploymentId) => void
  /** How often a function of the cloud was asked: its answer differs each time. */
  readonly nextAnswer: () => number
  /** What must hold of calls with hooks around them. */
  readonly hooks: HookRules
}

/** An empty cloud; broken rules are told to `violate`. `goesFirst`: what may be deleted before what
 * depends on it, because its replacement comes after. `isForgotten`: what one thing was made with,
 * and depends on no more by what is recorded of it. */
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
        violate(`${concurrent.length} calls of ${call.deployment} at once, ${call.parallel} may`)
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
        violate(`${sender.key} sent ${kind} ${id} again, and ${before.sender.key} still lives`)
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
      // A request whose sender is gone may land long after, and nothing can hold it back.
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
 * What some published state names, and what refers to an id so that it cannot do without: by an
 * input that says so.
 */
function usersOf(
  objects: ReadonlyMap<string, ModelObject>,
  kept: ReadonlySet<string>,
  id: string,
): readonly ModelObject[] {
  return (
    [...objects.values()]
      // What a dead process asked may land after what was asked since, and nothing can hold it
      // back.
      .filter(({ id: user, by }) => kept.has(user) && (by.isAnswered || !by.sender.isDead()))
      .filter(({ inputs }) =>
        [...stripMap(inputs)].some(([key, value]) => /^(?:needs|fixed)/.test(key) && value === id),
      )
  )
}

function nameOf(id: string): string {
  return id.replace(/#.*/, '')
}

/** Whether nobody waits any more for what comes of a call. */
function isUnawaited({ orphaned, isOver, sender }: ModelCall): boolean {
  return orphaned || isOver || sender.isDead()
}

/** Why a call ended whose connection is gone. */
export function lostError(): ProviderError {
  return new ProviderError('the plugin is gone', { status: 'lost', code: 14 })
}

/** Nobody was there to hear a call. */
export function unreachedError(): ProviderError {
  return new ProviderError('no connection', { status: 'ok', code: 14, isRequestUnsent: true })
}
