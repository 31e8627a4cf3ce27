import type { NudgesPort } from '../../shared/ports/queue.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { Asked, Program } from './engine.ts'
import type { Disturb } from './process.ts'
import { first, type Place } from './resume.ts'
import { type Scene, toTheEnd } from './scene.ts'
import { stackOf, thing } from './things.ts'

/** One thing more that takes long, and one after it. */
const long: Program = async monitor => {
  await first(monitor)
  const { urn } = await thing(monitor, 'long', { v: 1 })
  await thing(monitor, 'then', { v: 1 }, { dependencies: [urn] })
}

const many: Program = async monitor => {
  await first(monitor)
  await Promise.all(Array.from({ length: 12 }, (_, at) => thing(monitor, `many-${at}`, { v: 1 })))
}

const limited: Asked = { functionLimitMs: 1_000 }
/** So long that it parks before its time is over, on a machine that is busy too. */
const patient: Asked = { functionLimitMs: 8_000 }

/** Waits until a deployment is parked. */
async function parked({ engine }: Place): Promise<void> {
  for (;;) {
    const { current } = await stackOf(engine.platform)
    const control = current === '' ? undefined : await engine.platform.control.read(current)
    if (control?.handedOver?.why === 'parked') return
    await new Promise(done => setTimeout(done, 20))
  }
}

/** An operation that does not fit goes elsewhere; its generator parks, and is woken by its end. */
const parking: Scene = {
  name: 'up under a time limit with an operation that takes longer',
  delayMs: 1_600,
  act: ({ engine }, kill) => engine.run(long, { ...limited, kill }),
  goOn: place => toTheEnd(place, { program: long, asked: {} }),
}

/** A call ends once its generator is parked, however long that takes. */
const woken: Scene = {
  name: 'up of which an operation ends while it is parked',
  act(place, kill) {
    const { engine, cloud } = place
    const { reached, go } = cloud.hold('long')
    void reached.then(() => parked(place)).then(go)
    return engine.run(long, { ...patient, kill })
  },
  goOn: place => toTheEnd(place, { program: long, asked: {} }),
}

/** So long that it is remembered. */
const slow: Scene = { ...parking, name: 'up with a slow provider', delayMs: 5_200 }

const leaving: Scene = {
  name: 'up that needs several generators',
  delayMs: 300,
  act: ({ engine }, kill) => engine.run(many, { functionLimitMs: 1_200, parallel: 2, kill }),
  goOn: place => toTheEnd(place, { program: many, asked: {} }),
}

/** Whether all operations of a deployment that have begun have ended. */
async function allEnded(platform: Parameters<Disturb>[0], deployment: string): Promise<boolean> {
  const ids = Array.from({ length: 60 }, (_, id) => id as OperationId)
  const heads = await platform.operations.getHeads(deployment as never, ids)
  return [...heads.values()].every(({ end }) => end !== undefined)
}

/** A parked generator is woken for nothing; what it waits for ends while it parks again. */
const wokenForNothing: Scene = {
  name: 'up that is woken while nothing has ended',
  async act(place, kill) {
    const { engine, cloud } = place
    const { reached, go } = cloud.hold('long')
    let handed = 0
    let looks = 0
    const disturb: Disturb = platform => ({
      // Else it takes a renewal until it is known who lives.
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
          // Whoever leaves because its time is over does not wait.
          const isPark = handOver.why === 'parked'
          if (isPark) handed += 1
          if (isPark && handed === 2) go()
          while (isPark && handed === 2 && !(await allEnded(platform, deployment)))
            await new Promise(done => setTimeout(done, 20))
          return platform.control.handOver(deployment, holder, handOver)
        },
      },
    })
    const ran = engine.run(long, { ...patient, kill, disturb })
    const woken = reached
      .then(() => parked(place))
      .then(async () => engine.platform.nudges.nudge((await stackOf(engine.platform)).id, 0))
    try {
      return await ran
    } finally {
      go()
      await woken
    }
  },
  goOn: place => toTheEnd(place, { program: long, asked: {} }),
}

/** The nudge of an end is lost, and its message comes again while the generator is parked. */
const toldAgain: Scene = {
  name: 'up of which an end is told twice while it is parked',
  async act(place, kill) {
    const { engine, cloud } = place
    const { reached, go } = cloud.hold('long')
    let isLost = false
    let hasComeAgain = false
    const disturb: Disturb = ({ nudges, chains }) => ({
      nudges: { ...nudges, nudge: lostOnce(nudges, () => (isLost = true)) },
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
    const ran = engine.run(long, { ...patient, kill: armed, disturb })
    void reached.then(() => parked(place)).then(go)
    return ran
  },
  goOn: place => toTheEnd(place, { program: long, asked: {} }),
}

function lostOnce(nudges: NudgesPort, lost: () => void): NudgesPort['nudge'] {
  let isFirst = true
  return async (stack, delayMs) => {
    if (!isFirst) return nudges.nudge(stack, delayMs)
    isFirst = false
    lost()
  }
}

/** What happens when functions may not last long. */
export const scenesOfTime = {
  parking,
  woken,
  slow,
  leaving,
  wokenForNothing,
  toldAgain,
} as const satisfies Record<string, Scene>
