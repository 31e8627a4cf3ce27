import type { ChainQueuePort } from '../../shared/ports/queue.ts'
import { ProviderError } from '../../shared/providers/provider-error.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/snapshot-blob.ts'
import type { Urn } from '../../shared/names/urn.ts'
import { deploymentIdOf, type OperationId } from '../../shared/records/ids.ts'
import type { Program } from './engine.ts'
import { Killed, type Disturb } from './test-process.ts'
import { firstProgram, type TestPlace, secondProgram } from './resume.ts'
import {
  awaitKill,
  type Scene,
  runUntilDone,
  upScenario,
  wavesScenario,
  wideProgram,
} from './scene.ts'
import { getTestStack, registerThing } from './register-thing.ts'

/** One thing more than `firstProgram` registers. */
const oneMoreProgram: Program = async monitor => {
  await firstProgram(monitor)
  await registerThing(monitor, 'more', { v: 1 })
}
const more = { program: oneMoreProgram, options: {} }

/** Puts an outcome into the inbox that no state contains. */
async function putLate({ engine, cloud }: TestPlace): Promise<void> {
  const { catalog, blobs } = engine.platform
  const { id, snapshot } = await getTestStack(engine.platform)
  const { resources = [] } = await readSnapshotBlob(blobs, snapshot)
  const made = resources.find(({ id: known }) => known === 'kept-1')
  if (made === undefined) throw new Error("the state has no resource 'kept-1'")
  cloud.objects.set('late-1', { v: 1 })
  const state = { ...made, id: 'late-1' }
  const from = { deployment: deploymentIdOf(id, 1), operation: 99 as OperationId, attempt: 1 }
  await catalog.putLate(id, { ...from, urn: made.urn as Urn, state })
}

/** The late outcome is in the inbox when the deployment starts. */
const inbox: Scene = {
  name: 'up of a stack with an outcome in its inbox',
  async act(place, kill) {
    await putLate(place)
    return place.engine.run(secondProgram, { kill })
  },
  recover: place => runUntilDone(place, upScenario),
}

const inboxResumed: Scene = {
  ...inbox,
  name: 'up that died after it had pinned a late outcome',
  async act(place, kill) {
    await putLate(place)
    const earlier = { effect: 1, call: 'decisionLog.append pin', when: 'after' } as const
    await awaitKill(place.engine.run(secondProgram, { kill: earlier }))
    return place.engine.run(secondProgram, { resume: true, kill })
  },
}

/** A process hangs in a create, another one closes its deployment, and then the create returns. */
const late: Scene = {
  name: 'a create that returns after its owner was considered dead',
  async act({ engine, cloud }, kill) {
    const { reached, go } = cloud.hold('more')
    const deposed = engine.run(oneMoreProgram, { kill }).then(
      () => undefined,
      thrown => thrown as unknown,
    )
    await reached
    await engine.run(firstProgram)
    go()
    const end = await deposed
    if (end instanceof Killed) throw end
  },
  recover: place => runUntilDone(place, more),
}

const failing: Scene = {
  name: 'up with a create that fails',
  act({ engine, cloud }, kill) {
    cloud.faults.add('update changed-1')
    return engine.run(secondProgram, { kill })
  },
  recover: place => runUntilDone(place, upScenario),
}

const cancelled: Scene = {
  name: 'up that is cancelled',
  act: ({ engine }, kill) =>
    engine.run(secondProgram, { kill, began: running => running.cancel() }),
  recover: place => runUntilDone(place, upScenario),
}

/** The program differs in the second run, and its first decision has not begun. */
const otherwise: Scene = {
  name: 'up whose second run registers a different resource',
  async act({ engine }, kill) {
    const decided = { effect: 1, row: { list: 'register', row: 1 }, when: 'after' } as const
    await awaitKill(engine.run(oneMoreProgram, { kill: decided }))
    // Operations that the sweep sends must not begin before the program's request.
    const selected = Promise.withResolvers<void>()
    const disturb: Disturb = ({ chains, operations }) => ({
      chains: {
        ...chains,
        receive: (max, waitMs, receiveOptions) =>
          selected.promise.then(() => chains.receive(max, waitMs, receiveOptions)),
      },
      operations: {
        ...operations,
        async select(deployment, operation, end) {
          const isSelected = await operations.select(deployment, operation, end)
          selected.resolve()
          return isSelected
        },
      },
    })
    return engine.run(otherProgram, { resume: true, kill, disturb })
  },
  async recover(place) {
    // An operation that has begun meanwhile is kept; the next deployment changes it.
    await runUntilDone(place, { program: otherProgram, options: {} })
    return place.engine.run(otherProgram)
  },
}

const otherProgram: Program = async monitor => {
  await firstProgram(monitor)
  await registerThing(monitor, 'more', { v: 2 })
}

/** The stop flag is set between a begin and the control read after it. */
const stopped: Scene = {
  name: 'up that is stopped directly after a begin',
  act({ engine }, kill) {
    let hasStopped = false
    const disturb: Disturb = ({ operations, control }) => ({
      operations: {
        ...operations,
        async begin(deployment, operation, claim) {
          const begun = await operations.begin(deployment, operation, claim)
          if (!hasStopped) await control.stop(deployment, 'graceful')
          hasStopped = true
          return begun
        },
      },
    })
    return engine.run(oneMoreProgram, { kill, disturb })
  },
  recover: place => runUntilDone(place, more),
}

const lost: Scene = {
  name: 'a delete during which the provider is lost',
  before: wideProgram,
  act({ engine }, kill) {
    let isLost = false
    const options = { ...wavesScenario.options, kill }
    return engine.run(undefined, {
      ...options,
      provider: provider => ({
        ...provider,
        async delete(ask) {
          if (isLost) return provider.delete(ask)
          isLost = true
          throw new ProviderError('gone', { status: 'lost', code: 14 })
        },
      }),
    })
  },
  recover: place => runUntilDone(place, wavesScenario),
}

/** Fails one call as a bug would. */
const failByStone = (): Promise<never> => Promise.reject(new TypeError('a stone'))

/** Every delivery is the last one, and the begin of the only new thing fails. */
const poisoned: Scene = {
  name: 'an operation that cannot be begun',
  act({ engine }, kill) {
    const disturb: Disturb = ({ operations, chains }) => ({
      operations: { ...operations, begin: failByStone },
      chains: { ...chains, receive: deliverLastTime(chains) },
    })
    return engine.run(oneMoreProgram, { kill, disturb })
  },
  recover: place => runUntilDone(place, more),
}

function deliverLastTime(chains: ChainQueuePort): ChainQueuePort['receive'] {
  return async (max, waitMs, receiveOptions) => {
    const deliveries = await chains.receive(max, waitMs, receiveOptions)
    return deliveries.map(delivery => ({ ...delivery, deliveries: 5 }))
  }
}

/**
 * Two things that depend on two others each. Half of the second wave continues without one of them.
 */
const crossedProgram: Program = async monitor => {
  const register = (name: string, dependencies: string[]) =>
    registerThing(monitor, name, { v: 1 }, { dependencies })
  const below = await Promise.all(['b1', 'b2', 'b3', 'b4'].map(name => register(name, [])))
  const urns = below.map(({ urn }) => urn)
  await Promise.all([register('c1', urns.slice(0, 2)), register('c2', urns.slice(2))])
}

/** The same in the first wave of deletes: its last end opens the barrier. */
const poisonedWave: Scene = {
  name: 'a delete in a wave that cannot be begun',
  before: crossedProgram,
  act({ engine, cloud }, kill) {
    let poisonedOne: number | undefined
    const disturb: Disturb = ({ operations, chains }) => ({
      operations: {
        ...operations,
        async begin(deployment, operation, claim) {
          poisonedOne ??= operation
          if (operation !== poisonedOne) return operations.begin(deployment, operation, claim)
          while (cloud.log.length === 0) await new Promise(done => setTimeout(done, 20))
          await new Promise(done => setTimeout(done, 200))
          return failByStone()
        },
      },
      chains: { ...chains, receive: deliverLastTime(chains) },
    })
    return engine.run(undefined, { ...wavesScenario.options, continueOnError: true, kill, disturb })
  },
  recover: place => runUntilDone(place, wavesScenario),
}

/**
 * An executor stumbles when it notes the end of the first wave, so that the message is delivered
 * again.
 */
const again: Scene = {
  name: 'a delete whose message is delivered again after its end',
  before: wideProgram,
  act({ engine }, kill) {
    let hasStumbled = false
    const disturb: Disturb = ({ operations }) => ({
      operations: {
        ...operations,
        arrive(deployment, to, from) {
          if (hasStumbled) return operations.arrive(deployment, to, from)
          hasStumbled = true
          return failByStone()
        },
      },
    })
    const armed = kill === undefined ? undefined : { ...kill, isArmed: () => hasStumbled }
    return engine.run(undefined, { ...wavesScenario.options, kill: armed, disturb })
  },
  recover: place => runUntilDone(place, wavesScenario),
}

/**
 * Every message is sent twice, and a further one names an operation that the log does not contain.
 */
const doubled: Scene = {
  name: 'duplicate messages, and messages with an unknown operation',
  delayMs: 100,
  nth: new Map([['drop 1', 2]]),
  act({ engine }, kill) {
    const disturb: Disturb = ({ chains }) => ({
      chains: {
        ...chains,
        send: messages => {
          const unknown = messages.map(each => ({ ...each, operations: [9_999 as OperationId] }))
          return chains.send([...messages, ...messages, ...unknown])
        },
      },
    })
    return engine.run(oneMoreProgram, { kill, disturb })
  },
  recover: place => runUntilDone(place, more),
}

/** Scenes with faults other than a crash. */
export const faultScenes = {
  inbox,
  inboxResumed,
  late,
  failing,
  cancelled,
  otherwise,
  stopped,
  lost,
  poisoned,
  poisonedWave,
  again,
  doubled,
} as const satisfies Record<string, Scene>
