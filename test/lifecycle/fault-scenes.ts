import type { ChainQueuePort } from '../../shared/ports/queue.ts'
import { ProviderError } from '../../shared/providers/provider-error.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import type { Urn } from '../../shared/names/urn.ts'
import { deploymentIdOf, type OperationId } from '../../shared/records/ids.ts'
import type { Program } from './engine.ts'
import { ProcessKilledError, type InjectFaults } from './test-process.ts'
import { firstProgram, type TestSetup, secondProgram } from './resume.ts'
import {
  awaitKill,
  type Scene,
  runUntilDone,
  upScenario,
  wavesScenario,
  wideProgram,
} from './scene.ts'
import { getTestStack, registerThing } from './register-thing.ts'

/** The resources of `firstProgram`, and one more. */
const oneMoreProgram: Program = async monitor => {
  await firstProgram(monitor)
  await registerThing(monitor, 'more', { v: 1 })
}
const oneMoreScenario = { program: oneMoreProgram, options: {} }

/** Puts an outcome into the inbox. No state contains its object `late-1`. */
async function putLateOutcome({ engine, cloud }: TestSetup): Promise<void> {
  const { catalog, blobs } = engine.platform
  const { id, snapshot } = await getTestStack(engine.platform)
  const { resources = [] } = await readSnapshotBlob(blobs, snapshot)
  const keptResource = resources.find(({ id: resourceId }) => resourceId === 'kept-1')
  if (keptResource === undefined) throw new Error("the state has no resource 'kept-1'")
  cloud.objects.set('late-1', { v: 1 })
  const state = { ...keptResource, id: 'late-1' }
  const origin = { deployment: deploymentIdOf(id, 1), operation: 99 as OperationId, attempt: 1 }
  await catalog.putLateOutcome(id, { ...origin, urn: keptResource.urn as Urn, state })
}

/** The late outcome is in the inbox when the deployment starts. */
const inbox: Scene = {
  name: 'up of a stack with an outcome in its inbox',
  async run(setup, kill) {
    await putLateOutcome(setup)
    return setup.engine.run(secondProgram, { kill })
  },
  recover: setup => runUntilDone(setup, upScenario),
}

const inboxResumed: Scene = {
  ...inbox,
  name: 'up that died after it had pinned a late outcome',
  async run(setup, kill) {
    await putLateOutcome(setup)
    const earlierKill = { effect: 1, call: 'decisionLog.append pin', when: 'after' } as const
    await awaitKill(setup.engine.run(secondProgram, { kill: earlierKill }))
    return setup.engine.run(secondProgram, { resume: true, kill })
  },
}

/** A process hangs in a create, another one closes its deployment, and then the create returns. */
const lateCreate: Scene = {
  name: 'a create that returns after its owner was considered dead',
  async run({ engine, cloud }, kill) {
    const { reached, release } = cloud.hold('more')
    const deposedRun = engine.run(oneMoreProgram, { kill }).then(
      () => undefined,
      thrown => thrown as unknown,
    )
    await reached
    await engine.run(firstProgram)
    release()
    const end = await deposedRun
    if (end instanceof ProcessKilledError) throw end
  },
  recover: setup => runUntilDone(setup, oneMoreScenario),
}

const failing: Scene = {
  name: 'up with an update that fails',
  run({ engine, cloud }, kill) {
    cloud.faults.add('update changed-1')
    return engine.run(secondProgram, { kill })
  },
  recover: setup => runUntilDone(setup, upScenario),
}

const cancelled: Scene = {
  name: 'up that is cancelled',
  run: ({ engine }, kill) =>
    engine.run(secondProgram, { kill, onStart: running => running.cancel() }),
  recover: setup => runUntilDone(setup, upScenario),
}

/** The second run has another program. The operation that the first run decided has not begun. */
const differentProgram: Scene = {
  name: 'up whose second run registers a resource with other inputs',
  async run({ engine }, kill) {
    const afterDecision = { effect: 1, row: { list: 'register', row: 1 }, when: 'after' } as const
    await awaitKill(engine.run(oneMoreProgram, { kill: afterDecision }))
    // The executor gets no message before the first select, with which the run withdraws the
    // earlier decision.
    const selected = Promise.withResolvers<void>()
    const disturb: InjectFaults = ({ chains, operations }) => ({
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
  async recover(setup) {
    // An operation that began meanwhile is kept, and the next deployment changes its resource.
    await runUntilDone(setup, { program: otherProgram, options: {} })
    return setup.engine.run(otherProgram)
  },
}

const otherProgram: Program = async monitor => {
  await firstProgram(monitor)
  await registerThing(monitor, 'more', { v: 2 })
}

/** The stop flag is set between a begin and the control read after it. */
const stopped: Scene = {
  name: 'up that is stopped directly after a begin',
  run({ engine }, kill) {
    let hasStopped = false
    const disturb: InjectFaults = ({ operations, control }) => ({
      operations: {
        ...operations,
        async begin(deployment, operation, beginRequest) {
          const answer = await operations.begin(deployment, operation, beginRequest)
          if (!hasStopped) await control.stop(deployment, 'graceful')
          hasStopped = true
          return answer
        },
      },
    })
    return engine.run(oneMoreProgram, { kill, disturb })
  },
  recover: setup => runUntilDone(setup, oneMoreScenario),
}

const lostProvider: Scene = {
  name: 'a delete during which the provider is lost',
  initialProgram: wideProgram,
  run({ engine }, kill) {
    let isLost = false
    const options = { ...wavesScenario.options, kill }
    return engine.run(undefined, {
      ...options,
      provider: provider => ({
        ...provider,
        async delete(request) {
          if (isLost) return provider.delete(request)
          isLost = true
          throw new ProviderError('gone', { status: 'lost', code: 14 })
        },
      }),
    })
  },
  recover: setup => runUntilDone(setup, wavesScenario),
}

/** Rejects a call as a bug would. */
const failUnexpectedly = (): Promise<never> => Promise.reject(new TypeError('a simulated bug'))

/** Every delivery is the last of its message, and the begin of the only new resource fails. */
const poisoned: Scene = {
  name: 'an operation that cannot be begun',
  run({ engine }, kill) {
    const disturb: InjectFaults = ({ operations, chains }) => ({
      operations: { ...operations, begin: failUnexpectedly },
      chains: { ...chains, receive: deliverLastTime(chains) },
    })
    return engine.run(oneMoreProgram, { kill, disturb })
  },
  recover: setup => runUntilDone(setup, oneMoreScenario),
}

/** Returns a `receive` whose deliveries are each the last of their message. */
function deliverLastTime(chains: ChainQueuePort): ChainQueuePort['receive'] {
  return async (max, waitMs, receiveOptions) => {
    const deliveries = await chains.receive(max, waitMs, receiveOptions)
    return deliveries.map(delivery => ({ ...delivery, deliveries: 5 }))
  }
}

/**
 * Two resources with two dependencies each. In a destroy, half of the second wave is deleted even
 * if a delete of the first wave failed.
 */
const crossedProgram: Program = async monitor => {
  const register = (name: string, dependencies: string[]) =>
    registerThing(monitor, name, { v: 1 }, { dependencies })
  const bases = await Promise.all(['b1', 'b2', 'b3', 'b4'].map(name => register(name, [])))
  const urns = bases.map(({ urn }) => urn)
  await Promise.all([register('c1', urns.slice(0, 2)), register('c2', urns.slice(2))])
}

/**
 * A delete of the first wave cannot be begun. It is the last delete of the wave to end, so its end
 * releases the second wave.
 */
const poisonedWave: Scene = {
  name: 'a wave with a delete that cannot be begun',
  initialProgram: crossedProgram,
  run({ engine, cloud }, kill) {
    let poisonedOperation: number | undefined
    const disturb: InjectFaults = ({ operations, chains }) => ({
      operations: {
        ...operations,
        async begin(deployment, operation, beginRequest) {
          poisonedOperation ??= operation
          if (operation !== poisonedOperation)
            return operations.begin(deployment, operation, beginRequest)
          while (cloud.mutatingCalls.length === 0)
            await new Promise(resolve => setTimeout(resolve, 20))
          await new Promise(resolve => setTimeout(resolve, 200))
          return failUnexpectedly()
        },
      },
      chains: { ...chains, receive: deliverLastTime(chains) },
    })
    return engine.run(undefined, { ...wavesScenario.options, continueOnError: true, kill, disturb })
  },
  recover: setup => runUntilDone(setup, wavesScenario),
}

/**
 * An executor fails when it records the end of the first wave, so the message is delivered again.
 */
const redelivered: Scene = {
  name: 'a delete whose message is delivered again after the delete ended',
  initialProgram: wideProgram,
  run({ engine }, kill) {
    let hasFailed = false
    const disturb: InjectFaults = ({ operations }) => ({
      operations: {
        ...operations,
        arrive(deployment, to, from) {
          if (hasFailed) return operations.arrive(deployment, to, from)
          hasFailed = true
          return failUnexpectedly()
        },
      },
    })
    const armedKill = kill === undefined ? undefined : { ...kill, isArmed: () => hasFailed }
    return engine.run(undefined, { ...wavesScenario.options, kill: armedKill, disturb })
  },
  recover: setup => runUntilDone(setup, wavesScenario),
}

/**
 * Every message is sent twice, and a further one names an operation that the log does not contain.
 */
const duplicateMessages: Scene = {
  name: 'duplicate messages, and messages with an unknown operation',
  delayMs: 100,
  run({ engine }, kill) {
    const disturb: InjectFaults = ({ chains }) => ({
      chains: {
        ...chains,
        send: messages => {
          const unknownMessages = messages.map(message => ({
            ...message,
            operations: [9_999 as OperationId],
          }))
          return chains.send([...messages, ...messages, ...unknownMessages])
        },
      },
    })
    return engine.run(oneMoreProgram, { kill, disturb })
  },
  recover: setup => runUntilDone(setup, oneMoreScenario),
}

/** Scenes with faults other than a crash. */
export const faultScenes = {
  inbox,
  inboxResumed,
  lateCreate,
  failing,
  cancelled,
  differentProgram,
  stopped,
  lostProvider,
  poisoned,
  poisonedWave,
  redelivered,
  duplicateMessages,
} as const satisfies Record<string, Scene>
