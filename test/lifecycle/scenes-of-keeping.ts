import { createStack } from '../../cli/stack/create-stack.ts'
import { removeStack } from '../../cli/stack/remove-stack.ts'
import { editState } from '../../local/edit-state.ts'
import { abandonDeployment } from '../../local/abandon-deployment.ts'
import { redrive } from '../../local/redrive.ts'
import { removeOldRecords } from '../../shared/engine/deployment/retention/remove-old-records.ts'
import { sweepBlobs } from '../../shared/engine/deployment/retention/sweep-blobs.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import {
  deploymentIdOf,
  type EpochMs,
  type OperationId,
  stackIdOf,
} from '../../shared/records/ids.ts'
import { clearPending, pendingOf } from '../../shared/state/pending.ts'
import type { Program } from './engine.ts'
import type { Killing, TestProcess } from './process.ts'
import { first, type Place, second } from './resume.ts'
import { killedOf, type Scene, toTheEnd, upScenario } from './scene.ts'
import { stackOf, thing } from './things.ts'

const oneMore: Program = async monitor => {
  await first(monitor)
  await thing(monitor, 'more', { v: 1 })
}
const beforeCreate: Killing = { effect: 1, call: 'provider.create', when: 'before' }
const dayMs = 24 * 3_600_000

/** The same ports so many days later. */
function later<P extends Platform>(platform: P, days: number): P {
  const now = (): EpochMs => (platform.clock.now() + days * dayMs) as EpochMs
  return { ...platform, clock: { ...platform.clock, now } }
}

/** Makes an outcome of which nobody heard: its create was forgotten by a person. */
async function unheard({ engine, cloud }: Place): Promise<void> {
  await killedOf(engine.run(oneMore, { kill: beforeCreate }))
  const { platform } = engine
  const { id: stack, deployments } = await stackOf(platform)
  const ran = await engine.run(first, { forget: true })
  const deployment = deploymentIdOf(stack, deployments)
  const ids = Array.from({ length: 60 }, (_, id) => id as OperationId)
  const heads = await platform.operations.getHeads(deployment, ids)
  const found = [...heads].find(([, { end }]) => end?.verdict === 'interrupted')
  const kept = ran.state.resources?.find(({ id }) => id === 'kept-1')
  if (found === undefined || kept === undefined) throw new Error('nothing was interrupted')
  const [operation, { attempt }] = found
  const state = { ...kept, urn: kept.urn.replace('kept', 'more'), id: 'more-1' }
  cloud.objects.set('more-1', { v: 1 })
  const times = { startedAt: 1 as EpochMs, endedAt: 2 as EpochMs }
  const outcome = { operation, attempt, verdict: 'succeeded' as const, state, ...times }
  await platform.operations.putOutcome(deployment, outcome)
}

/** Everything that is old goes: records, versions, blobs; one blob is named again meanwhile. */
async function removeAll({ engine }: Place, process: TestProcess): Promise<void> {
  const { platform } = engine
  const removal = { keeping: { recordsMs: 0, versions: 1 }, deploymentsMax: 9, dryRun: false }
  await removeOldRecords({ ...process.platform, isAlive: () => false }, removal)
  const again = await platform.blobs.put(Buffer.from('{"version":3,"deployment":{}}'))
  await platform.blobs.put(Buffer.from('nothing names this'))
  await sweepBlobs(later(process.platform, 2), { dryRun: false })
  const { id, version, snapshot } = await stackOf(platform)
  if (snapshot === '') throw new Error('the stack has a state')
  const published = await platform.catalog.publish(id, version, again)
  await platform.catalog.publish(id, published.version, snapshot)
  await sweepBlobs(later(process.platform, 4), { dryRun: false })
}

const pruned: Scene = {
  name: 'a removal of what is old',
  async act(place, kill) {
    await unheard(place)
    return place.engine.during(kill, process => removeAll(place, process))
  },
  async goOn(place) {
    await place.engine.during(undefined, process => removeAll(place, process))
    return toTheEnd(place, upScenario)
  },
}

/** A person forgets a create of which nobody knows. */
async function forget(process: TestProcess, { engine }: Place): Promise<void> {
  const { id } = await stackOf(engine.platform)
  await editState(process.ports, id, {
    command: 'state',
    edit: state => {
      const [pending] = pendingOf(state)
      return pending === undefined ? state : clearPending(state, pending.resource.urn)
    },
  })
}

const edited: Scene = {
  name: 'an edit of the state',
  async act(place, kill) {
    await killedOf(place.engine.run(oneMore, { kill: beforeCreate }))
    await place.engine.run(first)
    return place.engine.during(kill, process => forget(process, place))
  },
  async goOn(place) {
    await place.engine.during(undefined, process => forget(process, place))
    return toTheEnd(place, upScenario)
  },
}

async function giveUpCurrent({ ports }: TestProcess, { engine }: Place): Promise<void> {
  const record = await stackOf(engine.platform)
  if (record.current !== '') await abandonDeployment(ports, record.current, record)
}

const abandoned: Scene = {
  name: 'a deployment whose records cannot be read',
  async act(place, kill) {
    await killedOf(place.engine.run(oneMore, { kill: beforeCreate }))
    return place.engine.during(kill, process => giveUpCurrent(process, place))
  },
  async goOn(place) {
    await place.engine.during(undefined, process => giveUpCurrent(process, place))
    return toTheEnd(place, upScenario)
  },
}

/** A deployment of which a message was given up, in the middle of it. */
const redriven: Scene = {
  name: 'a redrive',
  act: ({ engine }, kill) =>
    engine.during(kill, async ({ ports }) => {
      const { catalog, control, chains, clock } = engine.platform
      const { id } = await stackOf(engine.platform)
      const about = { command: 'up', message: '', holder: ports.holder, at: clock.now() } as const
      const { deployment } = await catalog.start(id, about)
      ports.here?.add(deployment)
      await control.create(deployment, ports.holder)
      await chains.send([{ deployment, operations: [1 as OperationId] }])
      for (let count = 0; count < 5; count++) {
        const [delivery] = await chains.receive(1, 5_000, { deployment })
        await chains.extend(delivery?.receipt ?? '', 0)
      }
      await chains.receive(1, 0, { deployment })
      return redrive(ports, id)
    }),
  goOn: place => toTheEnd(place, upScenario),
}

/** A session of the command line, as far as these commands ask it for something. */
function sessionOf({ platform }: TestProcess): Parameters<typeof createStack>[0] {
  const local = {
    platform,
    standing: () => Promise.resolve({ kind: 'none' }),
    forgetStack: () => Promise.resolve(),
    exportState: () => Promise.resolve(undefined),
  }
  const secrets = () => Promise.resolve({ passphrase: () => Promise.resolve(undefined) })
  const session = {
    cwd: '/',
    home: '/',
    io: { env: {} },
    interactive: false,
    // There is no file of the stack.
    project: () => ({ name: 'life', file: 'Pulumi.yaml', stackConfigDir: '/' }),
    local: () => Promise.resolve(local),
    tools: { secrets },
  }
  return session as unknown as Parameters<typeof createStack>[0]
}

const otherStack = stackIdOf('life', 'other')

async function makeAndRemove(process: TestProcess): Promise<void> {
  const session = sessionOf(process)
  const flags = { text: () => undefined } as unknown as Parameters<typeof createStack>[2]
  await createStack(session, otherStack, flags).catch((thrown: unknown) => {
    if ((thrown as { code?: string }).code !== 'STACK_EXISTS') throw thrown
  })
  await removeStack(session, otherStack, { force: false, preserveConfig: true })
}

const stacks: Scene = {
  name: 'a stack that is made and removed',
  act: ({ engine }, kill) => engine.during(kill, makeAndRemove),
  async goOn({ engine, ...place }) {
    await engine.during(undefined, makeAndRemove)
    if ((await engine.platform.catalog.getStack(otherStack)) !== undefined)
      throw new Error('the stack is there still')
    return toTheEnd({ engine, ...place }, { program: second, asked: {} })
  },
}

/** What keeps a home in order, and what people do by hand. */
export const scenesOfKeeping = {
  pruned,
  edited,
  abandoned,
  redriven,
  stacks,
} as const satisfies Record<string, Scene>
