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
import type { KillPoint, TestProcess } from './test-process.ts'
import { firstProgram, type TestPlace, secondProgram } from './resume.ts'
import { awaitKill, type Scene, runUntilDone, upScenario } from './scene.ts'
import { getTestStack, registerThing } from './register-thing.ts'

const oneMoreProgram: Program = async monitor => {
  await firstProgram(monitor)
  await registerThing(monitor, 'more', { v: 1 })
}
const beforeCreate: KillPoint = { effect: 1, call: 'provider.create', when: 'before' }
const dayMs = 24 * 3_600_000

/** Returns the same ports with a clock that is ahead by this many days. */
function withLaterClock<P extends Platform>(platform: P, days: number): P {
  const now = (): EpochMs => (platform.clock.now() + days * dayMs) as EpochMs
  return { ...platform, clock: { ...platform.clock, now } }
}

/** Creates an unreported outcome: the pending create was cleared by a user. */
async function createUnreportedOutcome({ engine, cloud }: TestPlace): Promise<void> {
  await awaitKill(engine.run(oneMoreProgram, { kill: beforeCreate }))
  const { platform } = engine
  const { id: stack, deployments } = await getTestStack(platform)
  const ran = await engine.run(firstProgram, { forget: true })
  const deployment = deploymentIdOf(stack, deployments)
  const ids = Array.from({ length: 60 }, (_, id) => id as OperationId)
  const heads = await platform.operations.getHeads(deployment, ids)
  const found = [...heads].find(([, { end }]) => end?.verdict === 'interrupted')
  const kept = ran.state.resources?.find(({ id }) => id === 'kept-1')
  if (found === undefined || kept === undefined) throw new Error('no operation was interrupted')
  const [operation, { attempt }] = found
  const state = { ...kept, urn: kept.urn.replace('kept', 'more'), id: 'more-1' }
  cloud.objects.set('more-1', { v: 1 })
  const times = { startedAt: 1 as EpochMs, endedAt: 2 as EpochMs }
  const outcome = { operation, attempt, verdict: 'succeeded' as const, state, ...times }
  await platform.operations.putOutcome(deployment, outcome)
}

/** Removes all old records, versions and blobs. One blob is referenced again meanwhile. */
async function removeAll({ engine }: TestPlace, process: TestProcess): Promise<void> {
  const { platform } = engine
  const removal = { keeping: { recordsMs: 0, versions: 1 }, deploymentsMax: 9, dryRun: false }
  await removeOldRecords({ ...process.platform, isAlive: () => false }, removal)
  const again = await platform.blobs.put(Buffer.from('{"version":3,"deployment":{}}'))
  await platform.blobs.put(Buffer.from('nothing names this'))
  await sweepBlobs(withLaterClock(process.platform, 2), { dryRun: false })
  const { id, version, snapshot } = await getTestStack(platform)
  if (snapshot === '') throw new Error('the stack has no state')
  const published = await platform.catalog.publish(id, version, again)
  await platform.catalog.publish(id, published.version, snapshot)
  await sweepBlobs(withLaterClock(process.platform, 4), { dryRun: false })
}

const pruned: Scene = {
  name: 'a removal of old records',
  async act(place, kill) {
    await createUnreportedOutcome(place)
    return place.engine.during(kill, process => removeAll(place, process))
  },
  async recover(place) {
    await place.engine.during(undefined, process => removeAll(place, process))
    return runUntilDone(place, upScenario)
  },
}

/** Clears a pending create as a user would. */
async function forgetPending(process: TestProcess, { engine }: TestPlace): Promise<void> {
  const { id } = await getTestStack(engine.platform)
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
    await awaitKill(place.engine.run(oneMoreProgram, { kill: beforeCreate }))
    await place.engine.run(firstProgram)
    return place.engine.during(kill, process => forgetPending(process, place))
  },
  async recover(place) {
    await place.engine.during(undefined, process => forgetPending(process, place))
    return runUntilDone(place, upScenario)
  },
}

async function abandonCurrent({ ports }: TestProcess, { engine }: TestPlace): Promise<void> {
  const record = await getTestStack(engine.platform)
  if (record.current !== '') await abandonDeployment(ports, record.current, record)
}

const abandoned: Scene = {
  name: 'a deployment whose records cannot be read',
  async act(place, kill) {
    await awaitKill(place.engine.run(oneMoreProgram, { kill: beforeCreate }))
    return place.engine.during(kill, process => abandonCurrent(process, place))
  },
  async recover(place) {
    await place.engine.during(undefined, process => abandonCurrent(process, place))
    return runUntilDone(place, upScenario)
  },
}

/** A deployment with a dead letter while it runs. */
const redriven: Scene = {
  name: 'a redrive',
  act: ({ engine }, kill) =>
    engine.during(kill, async ({ ports }) => {
      const { catalog, control, chains, clock } = engine.platform
      const { id } = await getTestStack(engine.platform)
      const startInput = {
        command: 'up',
        message: '',
        holder: ports.holder,
        at: clock.now(),
      } as const
      const { deployment } = await catalog.start(id, startInput)
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
  recover: place => runUntilDone(place, upScenario),
}

/** Returns a command-line session with the parts that these commands use. */
function createSession({ platform }: TestProcess): Parameters<typeof createStack>[0] {
  const local = {
    platform,
    readStatus: () => Promise.resolve({ kind: 'none' }),
    forgetStack: () => Promise.resolve(),
    exportState: () => Promise.resolve(undefined),
  }
  const loadSecrets = () => Promise.resolve({ readPassphrase: () => Promise.resolve(undefined) })
  const session = {
    cwd: '/',
    home: '/',
    io: { env: {} },
    interactive: false,
    // The stack has no file.
    requireProject: () => ({ name: 'life', file: 'Pulumi.yaml', stackConfigDir: '/' }),
    openEngine: () => Promise.resolve(local),
    tools: { loadSecrets },
  }
  return session as unknown as Parameters<typeof createStack>[0]
}

const otherStack = stackIdOf('life', 'other')

async function makeAndRemove(process: TestProcess): Promise<void> {
  const session = createSession(process)
  const flags = { text: () => undefined } as unknown as Parameters<typeof createStack>[2]
  await createStack(session, otherStack, flags).catch((thrown: unknown) => {
    if ((thrown as { code?: string }).code !== 'STACK_EXISTS') throw thrown
  })
  await removeStack(session, otherStack, { force: false, preserveConfig: true })
}

const stacks: Scene = {
  name: 'a stack that is created and removed',
  act: ({ engine }, kill) => engine.during(kill, makeAndRemove),
  async recover({ engine, ...place }) {
    await engine.during(undefined, makeAndRemove)
    if ((await engine.platform.catalog.getStack(otherStack)) !== undefined)
      throw new Error('the stack still exists')
    return runUntilDone({ engine, ...place }, { program: secondProgram, options: {} })
  },
}

/** Scenes of housekeeping and of manual commands. */
export const upkeepScenes = {
  pruned,
  edited,
  abandoned,
  redriven,
  stacks,
} as const satisfies Record<string, Scene>
