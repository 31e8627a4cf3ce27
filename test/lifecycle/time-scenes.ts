import type { NudgesPort } from '../../shared/ports/queue.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { TestRunOptions, Program } from './engine.ts'
import type { Disturb } from './test-process.ts'
import { firstProgram, type TestPlace } from './resume.ts'
import { type Scene, runUntilDone } from './scene.ts'
import { getTestStack, registerThing } from './register-thing.ts'

/** One further thing whose create takes long, and one that depends on it. */
const longProgram: Program = async monitor => {
  await firstProgram(monitor)
  const { urn } = await registerThing(monitor, 'long', { v: 1 })
  await registerThing(monitor, 'then', { v: 1 }, { dependencies: [urn] })
}

const manyProgram: Program = async monitor => {
  await firstProgram(monitor)
  await Promise.all(
    Array.from({ length: 12 }, (_, at) => registerThing(monitor, `many-${at}`, { v: 1 })),
  )
}

const shortLimit: TestRunOptions = { functionLimitMs: 1_000 }
/** Long enough that a generator parks before its time is over, even on a busy machine. */
const parkingLimit: TestRunOptions = { functionLimitMs: 8_000 }

/** Waits until a deployment is parked. */
async function waitUntilParked({ engine }: TestPlace): Promise<void> {
  for (;;) {
    const { current } = await getTestStack(engine.platform)
    const control = current === '' ? undefined : await engine.platform.control.read(current)
    if (control?.handedOver?.why === 'parked') return
    await new Promise(done => setTimeout(done, 20))
  }
}

/**
 * An operation that does not fit moves to the long pool. Its generator parks, and the end wakes the
 * next one.
 */
const parking: Scene = {
  name: 'up under a time limit with an operation that takes longer',
  delayMs: 1_600,
  act: ({ engine }, kill) => engine.run(longProgram, { ...shortLimit, kill }),
  recover: place => runUntilDone(place, { program: longProgram, options: {} }),
}

/** A call ends only after its generator has parked. */
const woken: Scene = {
  name: 'up with an operation that ends while the deployment is parked',
  act(place, kill) {
    const { engine, cloud } = place
    const { reached, go } = cloud.hold('long')
    void reached.then(() => waitUntilParked(place)).then(go)
    return engine.run(longProgram, { ...parkingLimit, kill })
  },
  recover: place => runUntilDone(place, { program: longProgram, options: {} }),
}

/** Long enough that the duration is stored for its type. */
const slow: Scene = { ...parking, name: 'up with a slow provider', delayMs: 5_200 }

const leaving: Scene = {
  name: 'up that needs several generators',
  delayMs: 300,
  act: ({ engine }, kill) => engine.run(manyProgram, { functionLimitMs: 1_200, parallel: 2, kill }),
  recover: place => runUntilDone(place, { program: manyProgram, options: {} }),
}

/** Reports whether all begun operations of a deployment have ended. */
async function haveAllEnded(
  platform: Parameters<Disturb>[0],
  deployment: string,
): Promise<boolean> {
  const ids = Array.from({ length: 60 }, (_, id) => id as OperationId)
  const heads = await platform.operations.getHeads(deployment as never, ids)
  return [...heads.values()].every(({ end }) => end !== undefined)
}

/** A parked deployment is woken without an end. Its operation ends while it parks again. */
const wokenForNothing: Scene = {
  name: 'up that is woken without an ended operation',
  async act(place, kill) {
    const { engine, cloud } = place
    const { reached, go } = cloud.hold('long')
    let handed = 0
    let looks = 0
    const disturb: Disturb = platform => ({
      // With growing counters the observer knows immediately which executors live.
      leases: {
        ...platform.leases,
        async list(deployment) {
          looks += 1
          const leases = await platform.leases.list(deployment)
          return leases.map(lease => ({ ...lease, counter: lease.counter + looks }))
        },
      },
      control: {
        ...platform.control,
        async handOver(deployment, holder, handOver) {
          // A generator that hands over because of its time limit does not wait.
          const isPark = handOver.why === 'parked'
          if (isPark) handed += 1
          if (isPark && handed === 2) go()
          while (isPark && handed === 2 && !(await haveAllEnded(platform, deployment)))
            await new Promise(done => setTimeout(done, 20))
          return platform.control.handOver(deployment, holder, handOver)
        },
      },
    })
    const ran = engine.run(longProgram, { ...parkingLimit, kill, disturb })
    const woken = reached
      .then(() => waitUntilParked(place))
      .then(async () => engine.platform.nudges.nudge((await getTestStack(engine.platform)).id, 0))
    try {
      return await ran
    } finally {
      go()
      await woken
    }
  },
  recover: place => runUntilDone(place, { program: longProgram, options: {} }),
}

/**
 * The nudge of an end is lost, and its message is delivered again while the deployment is parked.
 */
const repeatedEnd: Scene = {
  name: 'up with an end that is reported twice while the deployment is parked',
  async act(place, kill) {
    const { engine, cloud } = place
    const { reached, go } = cloud.hold('long')
    let isLost = false
    let hasComeAgain = false
    const disturb: Disturb = ({ nudges, chains }) => ({
      nudges: { ...nudges, nudge: loseOnce(nudges, () => (isLost = true)) },
      chains: {
        ...chains,
        async remove(receipt) {
          if (!isLost || hasComeAgain) return chains.remove(receipt)
          hasComeAgain = true
          await chains.extend(receipt, 0)
        },
      },
    })
    const armed = kill === undefined ? undefined : { ...kill, isArmed: () => hasComeAgain }
    const ran = engine.run(longProgram, { ...parkingLimit, kill: armed, disturb })
    void reached.then(() => waitUntilParked(place)).then(go)
    return ran
  },
  recover: place => runUntilDone(place, { program: longProgram, options: {} }),
}

function loseOnce(nudges: NudgesPort, onLost: () => void): NudgesPort['nudge'] {
  let isFirst = true
  return async (stack, delayMs) => {
    if (!isFirst) return nudges.nudge(stack, delayMs)
    isFirst = false
    onLost()
  }
}

/** Scenes with a time limit. */
export const timeScenes = {
  parking,
  woken,
  slow,
  leaving,
  wokenForNothing,
  toldAgain: repeatedEnd,
} as const satisfies Record<string, Scene>
