import type { ChainQueuePort } from '../../shared/ports/queue.ts'
import { ProviderError } from '../../shared/providers/provider.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/snapshot-blob.ts'
import type { Urn } from '../../shared/names/urn.ts'
import { deploymentIdOf, type OperationId } from '../../shared/records/ids.ts'
import type { Program } from './engine.ts'
import { Killed, type Disturb } from './process.ts'
import { first, type Place, second } from './resume.ts'
import { killedOf, type Scene, toTheEnd, upScenario, wavesScenario, wide } from './scene.ts'
import { stackOf, thing } from './things.ts'

/** One more thing than `first` makes. */
const oneMore: Program = async monitor => {
  await first(monitor)
  await thing(monitor, 'more', { v: 1 })
}
const more = { program: oneMore, asked: {} }

/** Puts into the inbox what nobody knows of. */
async function putLate({ engine, cloud }: Place): Promise<void> {
  const { catalog, blobs } = engine.platform
  const { id, snapshot } = await stackOf(engine.platform)
  const { resources = [] } = await readSnapshotBlob(blobs, snapshot)
  const made = resources.find(({ id: known }) => known === 'kept-1')
  if (made === undefined) throw new Error('the state has what was made')
  cloud.objects.set('late-1', { v: 1 })
  const state = { ...made, id: 'late-1' }
  const from = { deployment: deploymentIdOf(id, 1), operation: 99 as OperationId, attempt: 1 }
  await catalog.putLate(id, { ...from, urn: made.urn as Urn, state })
}

/** What was put late is there already when the deployment starts. */
const inbox: Scene = {
  name: 'up of a stack with something in its inbox',
  async act(place, kill) {
    await putLate(place)
    return place.engine.run(second, { kill })
  },
  goOn: place => toTheEnd(place, upScenario),
}

const inboxResumed: Scene = {
  ...inbox,
  name: 'up that died when it had pinned what came late',
  async act(place, kill) {
    await putLate(place)
    const earlier = { effect: 1, call: 'decisionLog.append pin', when: 'after' } as const
    await killedOf(place.engine.run(second, { kill: earlier }))
    return place.engine.run(second, { resume: true, kill })
  },
}

/** A process hangs in a create, another one closes for it, and then the create comes back. */
const late: Scene = {
  name: 'a create that comes back after its owner was taken for dead',
  async act({ engine, cloud }, kill) {
    const { reached, go } = cloud.hold('more')
    const deposed = engine.run(oneMore, { kill }).then(
      () => undefined,
      thrown => thrown as unknown,
    )
    await reached
    await engine.run(first)
    go()
    const end = await deposed
    if (end instanceof Killed) throw end
  },
  goOn: place => toTheEnd(place, more),
}

const failing: Scene = {
  name: 'up of which a create fails',
  act({ engine, cloud }, kill) {
    cloud.faults.add('update changed-1')
    return engine.run(second, { kill })
  },
  goOn: place => toTheEnd(place, upScenario),
}

const cancelled: Scene = {
  name: 'up that is cancelled',
  act: ({ engine }, kill) => engine.run(second, { kill, began: running => running.cancel() }),
  goOn: place => toTheEnd(place, upScenario),
}

/** The program is another one when it runs again, and what it decided has not begun. */
const otherwise: Scene = {
  name: 'up that registers something otherwise when it runs again',
  async act({ engine }, kill) {
    const decided = { effect: 1, row: { list: 'register', row: 1 }, when: 'after' } as const
    await killedOf(engine.run(oneMore, { kill: decided }))
    // What the sweep sends must not begin before the program asks.
    const asked = Promise.withResolvers<void>()
    const disturb: Disturb = ({ chains, operations }) => ({
      chains: {
        ...chains,
        receive: (max, waitMs, about) =>
          asked.promise.then(() => chains.receive(max, waitMs, about)),
      },
      operations: {
        ...operations,
        async select(deployment, operation, end) {
          const isSelected = await operations.select(deployment, operation, end)
          asked.resolve()
          return isSelected
        },
      },
    })
    return engine.run(otherOne, { resume: true, kill, disturb })
  },
  async goOn(place) {
    // What has begun meanwhile is kept: the next deployment changes it.
    await toTheEnd(place, { program: otherOne, asked: {} })
    return place.engine.run(otherOne)
  },
}

const otherOne: Program = async monitor => {
  await first(monitor)
  await thing(monitor, 'more', { v: 2 })
}

/** The stop flag is raised between a begin and the look at it. */
const stopped: Scene = {
  name: 'up that is stopped right after a begin',
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
    return engine.run(oneMore, { kill, disturb })
  },
  goOn: place => toTheEnd(place, more),
}

const lost: Scene = {
  name: 'a delete in which the provider is lost',
  before: wide,
  act({ engine }, kill) {
    let isLost = false
    const asked = { ...wavesScenario.asked, kill }
    return engine.run(undefined, {
      ...asked,
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
  goOn: place => toTheEnd(place, wavesScenario),
}

/** A disturbance that stumbles over one call, as if the code had a fault there. */
const stone = (): Promise<never> => Promise.reject(new TypeError('a stone'))

/** Every delivery is the last one, and the begin of the one thing that is new stumbles. */
const poisoned: Scene = {
  name: 'an operation that cannot be begun',
  act({ engine }, kill) {
    const disturb: Disturb = ({ operations, chains }) => ({
      operations: { ...operations, begin: stone },
      chains: { ...chains, receive: lastTime(chains) },
    })
    return engine.run(oneMore, { kill, disturb })
  },
  goOn: place => toTheEnd(place, more),
}

function lastTime(chains: ChainQueuePort): ChainQueuePort['receive'] {
  return async (max, waitMs, about) => {
    const deliveries = await chains.receive(max, waitMs, about)
    return deliveries.map(delivery => ({ ...delivery, deliveries: 5 }))
  }
}

/** Two things, each upon two others: half of the second wave goes on without one of them. */
const crossed: Program = async monitor => {
  const register = (name: string, dependencies: string[]) =>
    thing(monitor, name, { v: 1 }, { dependencies })
  const below = await Promise.all(['b1', 'b2', 'b3', 'b4'].map(name => register(name, [])))
  const urns = below.map(({ urn }) => urn)
  await Promise.all([register('c1', urns.slice(0, 2)), register('c2', urns.slice(2))])
}

/** As before, in the first wave of deletes: what ends last opens the barrier. */
const poisonedWave: Scene = {
  name: 'a delete of a wave that cannot be begun',
  before: crossed,
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
          return stone()
        },
      },
      chains: { ...chains, receive: lastTime(chains) },
    })
    return engine.run(undefined, { ...wavesScenario.asked, continueOnError: true, kill, disturb })
  },
  goOn: place => toTheEnd(place, wavesScenario),
}

/**
 * An executor stumbles when it notes the end of the first wave, so that the message comes again.
 */
const again: Scene = {
  name: 'a delete whose message comes again after its end',
  before: wide,
  act({ engine }, kill) {
    let hasStumbled = false
    const disturb: Disturb = ({ operations }) => ({
      operations: {
        ...operations,
        arrive(deployment, to, from) {
          if (hasStumbled) return operations.arrive(deployment, to, from)
          hasStumbled = true
          return stone()
        },
      },
    })
    const armed = kill === undefined ? undefined : { ...kill, isArmed: () => hasStumbled }
    return engine.run(undefined, { ...wavesScenario.asked, kill: armed, disturb })
  },
  goOn: place => toTheEnd(place, wavesScenario),
}

/** Every message is sent twice, and one more of which the log knows nothing. */
const doubled: Scene = {
  name: 'messages that come twice, or of nothing',
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
    return engine.run(oneMore, { kill, disturb })
  },
  goOn: place => toTheEnd(place, more),
}

/** What goes wrong besides a death. */
export const scenesOfFaults = {
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
