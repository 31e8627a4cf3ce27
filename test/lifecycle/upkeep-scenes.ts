import { createStack } from '../../cli/stack/create-stack.ts'
import { removeStack } from '../../cli/stack/remove-stack.ts'
import { editState } from '../../functions/step-generator/edit-state.ts'
import { abandonDeployment } from '../../functions/step-generator/abandon-deployment.ts'
import { redrive } from '../../local/redrive.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import { removeOldRecords } from '../../shared/engine/deployment/retention/remove-old-records.ts'
import { sweepBlobs } from '../../shared/engine/deployment/retention/sweep-blobs.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import {
  deploymentIdOf,
  type EpochMs,
  type OperationId,
  stackIdOf,
} from '../../shared/records/ids.ts'
import { pendingOperationsOf } from '../../shared/state/pending.ts'
import type { Program } from './engine.ts'
import type { KillPoint, TestProcess } from './test-process.ts'
import { firstProgram, type TestSetup, secondProgram } from './resume.ts'
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

/**
 * Stores the outcome of an interrupted create whose pending operation a user has cleared. No
 * process has put the outcome into the inbox.
 */
async function createUnreportedOutcome({ engine, cloud }: TestSetup): Promise<void> {
  await awaitKill(engine.run(oneMoreProgram, { kill: beforeCreate }))
  const { platform } = engine
  const { id: stack, deployments } = await getTestStack(platform)
  const testRun = await engine.run(firstProgram, { clearPendingCreates: true })
  const deployment = deploymentIdOf(stack, deployments)
  // More ids than the deployment has operations. Heads that do not exist are left out.
  const ids = Array.from({ length: 60 }, (_, id) => id as OperationId)
  const heads = await platform.operations.getHeads(deployment, ids)
  const interrupted = [...heads].find(([, { end }]) => end?.verdict === 'interrupted')
  const keptResource = testRun.state.resources?.find(({ id }) => id === 'kept-1')
  if (interrupted === undefined || keptResource === undefined)
    throw new Error('no operation was interrupted')
  const [operation, { attempt }] = interrupted
  const state = { ...keptResource, urn: keptResource.urn.replace('kept', 'more'), id: 'more-1' }
  cloud.objects.set('more-1', { v: 1 })
  const times = { startedAt: 1 as EpochMs, endedAt: 2 as EpochMs }
  const outcome = { operation, attempt, verdict: 'succeeded' as const, state, ...times }
  await platform.operations.putOutcome(deployment, outcome)
}

/**
 * Removes all old records, versions and blobs. One blob is referenced again meanwhile. The sweeps
 * are two days apart, because the grace time of blobs is one day.
 */
async function removeOldData({ engine }: TestSetup, process: TestProcess): Promise<void> {
  const { platform } = engine
  const removal = {
    policy: { recordsKeptMs: 0, versionsKept: 1 },
    deploymentsMax: 9,
    dryRun: false,
  }
  await removeOldRecords({ ...process.platform, isAlive: () => false }, removal)
  const referencedBlob = await platform.blobs.put(Buffer.from('{"version":3,"deployment":{}}'))
  await platform.blobs.put(Buffer.from('nothing names this'))
  await sweepBlobs(withLaterClock(process.platform, 2), { dryRun: false })
  const { id, version, snapshot } = await getTestStack(platform)
  if (snapshot === '') throw new Error('the stack has no state')
  const published = await platform.catalog.publish(id, version, referencedBlob)
  await platform.catalog.publish(id, published.version, snapshot)
  await sweepBlobs(withLaterClock(process.platform, 4), { dryRun: false })
}

const pruned: Scene = {
  name: 'a removal of old records',
  async run(setup, kill) {
    await createUnreportedOutcome(setup)
    return setup.engine.runKillable(kill, process => removeOldData(setup, process))
  },
  async recover(setup) {
    await setup.engine.runKillable(undefined, process => removeOldData(setup, process))
    return runUntilDone(setup, upScenario)
  },
}

/** Clears a pending create as a user would. */
async function clearPendingCreate(process: TestProcess, { engine }: TestSetup): Promise<void> {
  const { id } = await getTestStack(engine.platform)
  const { snapshot } = await getTestStack(engine.platform)
  const state = await readSnapshotBlob(engine.platform.blobs, snapshot)
  const urn = pendingOperationsOf(state)[0]?.resource.urn
  if (urn !== undefined) {
    const edit = { kind: 'pending clear', urn } as const
    await editState(process.platform, process.ports, { stack: id, edit })
  }
}

const edited: Scene = {
  name: 'an edit of the state',
  async run(setup, kill) {
    await awaitKill(setup.engine.run(oneMoreProgram, { kill: beforeCreate }))
    await setup.engine.run(firstProgram)
    return setup.engine.runKillable(kill, process => clearPendingCreate(process, setup))
  },
  async recover(setup) {
    await setup.engine.runKillable(undefined, process => clearPendingCreate(process, setup))
    return runUntilDone(setup, upScenario)
  },
}

async function abandonCurrent({ ports }: TestProcess, { engine }: TestSetup): Promise<void> {
  const record = await getTestStack(engine.platform)
  if (record.current !== '') await abandonDeployment(ports, record.current, record)
}

const abandoned: Scene = {
  name: 'a deployment whose records cannot be read',
  async run(setup, kill) {
    await awaitKill(setup.engine.run(oneMoreProgram, { kill: beforeCreate }))
    return setup.engine.runKillable(kill, process => abandonCurrent(process, setup))
  },
  async recover(setup) {
    await setup.engine.runKillable(undefined, process => abandonCurrent(process, setup))
    return runUntilDone(setup, upScenario)
  },
}

/** A running deployment has a dead letter, which the redrive turns into a message again. */
const redriven: Scene = {
  name: 'a redrive',
  run: ({ engine }, kill) =>
    engine.runKillable(kill, async ({ ports }) => {
      const { catalog, control, chains, clock } = engine.platform
      const { id } = await getTestStack(engine.platform)
      const startInput = {
        command: 'up',
        message: '',
        at: clock.now(),
      } as const
      const { deployment } = await catalog.start(id, startInput)
      ports.ownDeployments?.add(deployment)
      await control.create(deployment, ports.holder)
      await chains.send([{ deployment, operations: [1 as OperationId] }])
      for (let count = 0; count < 5; count++) {
        const [delivery] = await chains.receive(1, 5_000, { deployment })
        await chains.extend(delivery?.receipt ?? '', 0)
      }
      await chains.receive(1, 0, { deployment })
      return redrive(ports, id)
    }),
  recover: setup => runUntilDone(setup, upScenario),
}

/** Returns a command-line session with the parts that `createStack` and `removeStack` use. */
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
    // The stack of this project has no file.
    requireProject: () => ({ name: 'life', file: 'Pulumi.yaml', stackConfigDir: '/' }),
    openEngine: () => Promise.resolve(local),
    tools: { loadSecrets },
  }
  return session as unknown as Parameters<typeof createStack>[0]
}

const otherStack = stackIdOf('life', 'other')

async function createAndRemoveStack(process: TestProcess): Promise<void> {
  const session = createSession(process)
  const flags = { text: () => undefined } as unknown as Parameters<typeof createStack>[2]
  await createStack(session, otherStack, flags).catch((thrown: unknown) => {
    if ((thrown as { code?: string }).code !== 'STACK_EXISTS') throw thrown
  })
  await removeStack(session, otherStack, { force: false, preserveConfig: true })
}

const stacks: Scene = {
  name: 'a stack that is created and removed',
  run: ({ engine }, kill) => engine.runKillable(kill, createAndRemoveStack),
  async recover({ engine, ...setup }) {
    await engine.runKillable(undefined, createAndRemoveStack)
    if ((await engine.platform.catalog.getStack(otherStack)) !== undefined)
      throw new Error('the stack still exists')
    return runUntilDone({ engine, ...setup }, { program: secondProgram, options: {} })
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
