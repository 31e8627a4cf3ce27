/**
 * local: composes the handlers of functions/ over the embedded platform in one process. There is no
 * second engine and no daemon. Imports functions and below.
 */
import { hostname } from 'node:os'
import type { EventSink } from '../shared/engine/events/event.ts'
import type { DeployRequest, DeployResult, RunningDeployment } from '../shared/engine/request.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../shared/platform/embedded/platform.ts'
import { createLog } from '../shared/platform/system/log.ts'
import { isAlive, killGroup, startedOf } from '../shared/platform/system/process-start.ts'
import { deploymentPartsOf, type StackId } from '../shared/records/ids.ts'
import type { DeploymentOptions, Holder } from '../shared/records/log.ts'
import type { Moment } from '../shared/records/moment.ts'
import { withoutOrigins } from '../shared/state/pending.ts'
import type { StoredDeployment } from '../shared/state/stored.ts'
import { exportState, knownStack } from '../functions/compaction/export-state.ts'
import { compact } from '../functions/compaction/handle.ts'
import { type DeploymentStory, stateAt, storyOf } from '../functions/compaction/moment.ts'
import type { GeneratorPorts } from '../functions/step-generator/start.ts'
import { interruptedOf } from '../functions/step-generator/resume.ts'
import { cancel, type CancelOutcome } from './cancel.ts'
import { deploy } from './deploy.ts'
import { renameStack } from './rename-stack.ts'
import { editState, type StateEdit } from './edit-state.ts'
import { type AskedHere, callHere } from '../functions/api/call-here.ts'
import { forgetStack } from '../functions/api/placed-calls.ts'
import { apiPorts } from './serve-api.ts'
import { type HomeOptions, serveHome } from './serve-home.ts'
import {
  keepingOf,
  prune,
  type PruneDeps,
  type Pruned,
  tidy,
} from '../functions/compaction/prune.ts'
import { patientGenerator } from '../functions/surroundings/patient.ts'
import { type RedriveOutcome, redrive } from './redrive.ts'
import { type Standing, standingNow } from '../functions/step-generator/standing.ts'

/** What the command line asks of the engine over the embedded platform. */
export interface Local {
  readonly platform: EmbeddedPlatform
  /** Starts a deployment or preview. Throws STACK_BUSY with the holder's name. */
  readonly deploy: (request: DeployRequest, sink: EventSink) => Promise<RunningDeployment>
  /**
   * What the interrupted deployment of a stack was asked to do. Throws NOTHING_TO_RESUME,
   * STACK_BUSY.
   */
  readonly interrupted: (
    stack: StackId,
  ) => Promise<{ readonly number: number; readonly options: DeploymentOptions }>
  /** Asks a living deployment to stop, closes a dead one. */
  readonly cancel: (stack: StackId, force: boolean) => Promise<CancelOutcome>
  /** Removes what a stack that was removed leaves of schedules and notifications. */
  readonly forgetStack: (stack: StackId) => Promise<void>
  /** How the current deployment of a stack stands. */
  readonly standing: (stack: StackId) => Promise<Standing>
  /** Tries again what the queue has given up of an open deployment. */
  readonly redrive: (stack: StackId) => Promise<RedriveOutcome>
  /** Publishes what an edit makes of the state; see `editState`. */
  readonly editState: (stack: StackId, edit: StateEdit) => Promise<{ readonly version: number }>
  /** Gives a stack another name; see `renameStack`. */
  readonly renameStack: (from: StackId, to: StackId) => Promise<void>
  /**
   * The state as the records have it now, or a published version; undefined for a stack that never
   * ran, or has no such version.
   */
  readonly exportState: (stack: StackId, version?: number) => Promise<StoredDeployment | undefined>
  /** The state at a moment. Throws MOMENT_UNKNOWN, RECORDS_REMOVED. */
  readonly exportAt: (stack: StackId, moment: Moment) => Promise<StoredDeployment | undefined>
  /** What is known of one deployment. Throws MOMENT_UNKNOWN. */
  readonly story: (stack: StackId, number: number) => Promise<DeploymentStory>
  /** Removes what was kept long enough, of one stack or of all; see `Pruned`. */
  readonly prune: (asked: { readonly stack?: StackId; readonly dryRun: boolean }) => Promise<Pruned>
  /** Serves every stack of the store; see `serve`. */
  readonly serve: (options: HomeOptions) => Promise<void>
  /** Asks what is also asked over HTTP; see `callHere`. */
  readonly api: (asked: AskedHere) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** Opens the embedded platform below a home folder. Throws STORE_UNAVAILABLE. */
export async function openLocal(options: {
  readonly home: string
  readonly verbose: boolean
}): Promise<Local> {
  const level = options.verbose ? 'debug' : 'error'
  const log = createLog({ level, write: line => void process.stderr.write(line) })
  const platform = await openEmbeddedPlatform({
    home: options.home,
    ...(options.verbose ? { log } : {}),
  })
  const ports = portsOf(platform)
  const patient = patientGenerator(ports, {
    isWorthIt: () => true,
    said: message => platform.journal.write('warn', 'store.refused', { message }),
  })
  const pruning = { platform, isAlive: ports.isAlive, keeping: keepingOf(process.env) }
  return {
    platform,
    deploy: async (request, sink) => {
      const running = await deploy({ platform, ports, request, sink })
      if (request.dryRun) return running
      return { ...running, done: tidied(pruning, running.done) }
    },
    interrupted: stack => interrupted(patient, stack),
    cancel: (stack, force) => cancel(patient, stack, force),
    forgetStack: stack => forgetStack(platform, stack),
    standing: stack => standingNow(patient, stack),
    redrive: stack => redrive(patient, stack),
    editState: (stack, edit) => editState(patient, stack, edit),
    renameStack: (from, to) => renameStack(platform, patient, { from, to }),
    exportState: (stack, version) => exportState(platform, stack, version),
    exportAt: async (stack, moment) => {
      const record = await knownStack(platform, stack)
      const state = await stateAt(platform, record, moment, platform.clock.now())
      return state === undefined ? undefined : withoutOrigins(state)
    },
    story: async (stack, number) => storyOf(platform, await knownStack(platform, stack), number),
    prune: asked => prune(pruning, asked),
    serve: serving => serveHome({ platform, ports, home: options.home }, serving),
    api: asked => callHere(apiPorts(platform, undefined), ports.holder.who, asked),
    close: () => platform.close(),
  }
}

/** A deployment that succeeded leaves the home folder tidier than it was. */
async function tidied(pruning: PruneDeps, done: Promise<DeployResult>): Promise<DeployResult> {
  const result = await done
  if (result.result === 'succeeded') await tidy(pruning)
  return result
}

/** This process as a holder. */
export function holderOfThisProcess(): Holder {
  // Options may carry values that nobody else is to read: the command is enough.
  const [command = ''] = process.argv.slice(2).filter(word => /^[a-z]+$/.test(word))
  const user = process.env['USER'] ?? process.env['LOGNAME'] ?? 'someone'
  return {
    host: hostname(),
    pid: process.pid,
    started: startedOf(process.pid),
    who: `${user}: antichain ${command}`.slice(0, 200),
  }
}

/** The ports of the generator over the embedded platform. */
export function portsOf(platform: EmbeddedPlatform): GeneratorPorts {
  const holder = holderOfThisProcess()
  return {
    here: new Set(),
    log: platform.log,
    blobs: platform.blobs,
    operations: platform.operations,
    control: platform.control,
    catalog: platform.catalog,
    leases: platform.leases,
    requests: platform.requests,
    nudges: platform.nudges,
    chains: platform.chains,
    hints: platform.hints,
    clock: platform.clock,
    journal: platform.journal,
    random: platform.random,
    compact: deployment => compact(platform, deployment),
    holder,
    isAlive: other => (other.host === holder.host ? isAlive(other) : undefined),
    endGroup: group => void killGroup(group),
  }
}

async function interrupted(
  ports: GeneratorPorts,
  stack: StackId,
): Promise<{ readonly number: number; readonly options: DeploymentOptions }> {
  const { deployment, pin } = await interruptedOf(ports, stack)
  return { number: deploymentPartsOf(deployment).number, options: pin.options }
}
