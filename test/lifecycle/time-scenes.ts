import type { NudgesPort } from '../../shared/ports/queue.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { TestRunOptions, Program } from './engine.ts'
import type { InjectFaults } from './test-process.ts'
import { firstProgram, type TestSetup } from './resume.ts'
import { type Scene, runUntilDone } from './scene.ts'
import { getTestStack, registerThing } from './register-thing.ts'

/**
 * Registers the resources of `firstProgram`, the resource `long`, whose create a scene delays or
 * holds, and a resource that depends on it.
 */
const longProgram: Program = async monitor => {
  await firstProgram(monitor)
  const { urn } = await registerThing(monitor, 'long', { v: 1 })
  await registerThing(monitor, 'then', { v: 1 }, { dependencies: [urn] })
}

const manyProgram: Program = async monitor => {
  await firstProgram(monitor)
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => registerThing(monitor, `many-${index}`, { v: 1 })),
  )
}

const shortLimit: TestRunOptions = { functionLimitMs: 1_000 }
/** Long enough that a generator parks before its time is over, even on a busy machine. */
const parkingLimit: TestRunOptions = { functionLimitMs: 8_000 }

/** The time in which a deployment must park. */
const parkTimeoutMs = 120_000

/** Waits until a deployment is parked. Fails with its control record after `parkTimeoutMs`. */
async function waitUntilParked({ engine }: TestSetup): Promise<void> {
  for (const startMs = performance.now(); ; ) {
    const { current } = await getTestStack(engine.platform)
    const control = current === '' ? undefined : await engine.platform.control.read(current)
    if (control?.handedOver?.why === 'parked') return
    if (performance.now() - startMs > parkTimeoutMs)
      throw new Error(`the deployment '${current}' does not park: ${JSON.stringify(control)}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/**
 * An operation whose expected duration exceeds the remaining time moves to the long pool. Its
 * generator parks, and the end of the operation wakes the next generator run.
 */
const parking: Scene = {
  name: 'up under a time limit with an operation that takes longer',
  delayMs: 1_600,
  run: ({ engine }, kill) => engine.run(longProgram, { ...shortLimit, kill }),
  recover: setup => runUntilDone(setup, { program: longProgram, options: {} }),
}

/** The create of `long` ends only after the generator has parked. */
const woken: Scene = {
  name: 'up with an operation that ends while the deployment is parked',
  run(setup, kill) {
    const { engine, cloud } = setup
    const { reached, release } = cloud.hold('long')
    void reached.then(() => waitUntilParked(setup)).then(release)
    return engine.run(longProgram, { ...parkingLimit, kill })
  },
  recover: setup => runUntilDone(setup, { program: longProgram, options: {} }),
}

/** The scene `parking` with such a long delay that the catalog stores the type's duration. */
const slow: Scene = { ...parking, name: 'up with a slow provider', delayMs: 5_200 }

/** Each generator leaves at its time limit, and a later one continues. */
const leaving: Scene = {
  name: 'up that needs several generators',
  delayMs: 300,
  run: ({ engine }, kill) => engine.run(manyProgram, { functionLimitMs: 1_200, parallel: 2, kill }),
  recover: setup => runUntilDone(setup, { program: manyProgram, options: {} }),
}

/** Reports whether all begun operations of a deployment have ended. */
async function haveAllEnded(
  platform: Parameters<InjectFaults>[0],
  deployment: string,
): Promise<boolean> {
  // More ids than a scene has operations. Heads that do not exist are left out.
  const ids = Array.from({ length: 60 }, (_, id) => id as OperationId)
  const heads = await platform.operations.getHeads(deployment as never, ids)
  return [...heads.values()].every(({ end }) => end !== undefined)
}

/**
 * A parked deployment is woken although no operation has ended. Its operation ends while the
 * deployment parks again.
 */
const wokenForNothing: Scene = {
  name: 'up that is woken without an ended operation',
  async run(setup, kill) {
    const { engine, cloud } = setup
    const { reached, release } = cloud.hold('long')
    let parkCount = 0
    let listCalls = 0
    const disturb: InjectFaults = platform => ({
      // With growing lease counters the generator knows immediately which executors live.
      leases: {
        ...platform.leases,
        async list(deployment) {
          listCalls += 1
          const leases = await platform.leases.list(deployment)
          return leases.map(lease => ({ ...lease, counter: lease.counter + listCalls }))
        },
      },
      control: {
        ...platform.control,
        async handOver(deployment, holder, handOver) {
          // A generator that hands over because of its time limit does not wait.
          const isPark = handOver.why === 'parked'
          if (isPark) parkCount += 1
          if (isPark && parkCount === 2) release()
          while (isPark && parkCount === 2 && !(await haveAllEnded(platform, deployment)))
            await new Promise(resolve => setTimeout(resolve, 20))
          return platform.control.handOver(deployment, holder, handOver)
        },
      },
    })
    const testRun = engine.run(longProgram, { ...parkingLimit, kill, disturb })
    const wakeUp = reached
      .then(() => waitUntilParked(setup))
      .then(async () => engine.platform.nudges.nudge((await getTestStack(engine.platform)).id, 0))
    try {
      return await testRun
    } finally {
      release()
      await wakeUp
    }
  },
  recover: setup => runUntilDone(setup, { program: longProgram, options: {} }),
}

/**
 * The nudge for an end is lost, and the message of the operation is delivered again while the
 * deployment is parked.
 */
const repeatedEnd: Scene = {
  name: 'up with an end that is reported twice while the deployment is parked',
  async run(setup, kill) {
    const { engine, cloud } = setup
    const { reached, release } = cloud.hold('long')
    let isLost = false
    let isRedelivered = false
    const disturb: InjectFaults = ({ nudges, chains }) => ({
      nudges: { ...nudges, nudge: loseOnce(nudges, () => (isLost = true)) },
      chains: {
        ...chains,
        async remove(receipt) {
          if (!isLost || isRedelivered) return chains.remove(receipt)
          isRedelivered = true
          await chains.extend(receipt, 0)
        },
      },
    })
    const armedKill = kill === undefined ? undefined : { ...kill, isArmed: () => isRedelivered }
    const testRun = engine.run(longProgram, { ...parkingLimit, kill: armedKill, disturb })
    void reached.then(() => waitUntilParked(setup)).then(release)
    return testRun
  },
  recover: setup => runUntilDone(setup, { program: longProgram, options: {} }),
}

/** Returns the method `nudge` of a port, which loses the first nudge. */
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
  repeatedEnd,
} as const satisfies Record<string, Scene>
