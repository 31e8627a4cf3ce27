import { createEventRecorder, type EventRecorder } from '../shared/engine/events/event-recorder.ts'
import type { EventSink } from '../shared/engine/events/event.ts'
import {
  startDeployment,
  type StartedDeployment,
} from '../functions/step-generator/start-deployment.ts'
import { resumeDeployment } from '../functions/step-generator/resume-deployment.ts'
import type { RunningDeployment } from '../shared/engine/request.ts'
import type { DeploymentId, EpochMs } from '../shared/records/ids.ts'
import { createLocalRun } from './local-generator-run.ts'
import { runLocalDeployment } from './run-local-deployment.ts'
import { withStoreRetry } from '../shared/runtime/deployment/retrying-ports.ts'
import { runPreview } from '../functions/step-generator/run-preview.ts'
import { maskedConfigOf } from '../functions/step-generator/prepare-run.ts'
import {
  createDeduplicatedSinks,
  type RunSink,
} from '../shared/runtime/deployment/deduplicate-events.ts'
import {
  createRunEnvironment,
  closeRunEnvironment,
} from '../shared/runtime/environment/run-environment.ts'
import { type RunInput } from '../shared/runtime/environment/run-input.ts'

/** A deployment or preview in this process. A preview has no deployment id. */
export interface RunningLocalDeployment extends RunningDeployment {
  readonly deployment?: DeploymentId
}

/**
 * Starts or resumes a deployment, or starts a preview, in this process. Throws STACK_BUSY before a
 * program or an operation runs.
 */
export async function deploy(baseInput: RunInput): Promise<RunningLocalDeployment> {
  let recorder: EventRecorder | undefined
  const sink: EventSink = {
    emit(event, states) {
      recorder?.emit(event)
      baseInput.sink.emit(event, states)
    },
    reportPlugin: baseInput.sink.reportPlugin,
  }
  let isTerminated = false
  const input = withStoreRetry(baseInput, {
    shouldRetry: () => !isTerminated,
    onOutage: text => emitWarning(sink, text),
  })
  const { request, platform, ports } = input
  // Under a time limit a deployment has several generator runs, and a later one may emit an event
  // again. Without a limit, the emitted events need not be remembered.
  const createSingleRunSink = (): RunSink => {
    let isOpen = true
    return {
      ...sink,
      emit(event, states) {
        if (isOpen) sink.emit(event, states)
      },
      close: () => {
        isOpen = false
      },
    }
  }
  const createNextSink =
    request.functionLimitMs === undefined ? createSingleRunSink : createDeduplicatedSinks(sink)
  const firstSink = createNextSink()
  const sharedCounts = new Map<string, number>()
  const environment = await createRunEnvironment({ ...input, sharedCounts, sink: firstSink })
  const { emitter } = environment
  const startedMs = platform.clock.monotonicMs()
  try {
    const startedDeployment = await startOrResume(input)
    if (startedDeployment !== undefined)
      recorder = createEventRecorder(
        platform,
        startedDeployment.deployment,
        writerIdOf(startedDeployment),
      )
    sink.emit({ preludeEvent: { config: maskedConfigOf(request) } })
    if (startedDeployment === undefined) return runPreview(input, environment, startedMs)
    const initialRun = createLocalRun(input, { environment, startedDeployment, sink: firstSink })
    const localDeployment = runLocalDeployment(
      { ...input, sharedCounts, sink },
      { firstRun: initialRun, startedMs, createNextSink },
    )
    ports.ownDeployments?.add(startedDeployment.deployment)
    const done = flushAfter(localDeployment.done, recorder)
    const lastEndAt = findLastEnd(startedDeployment)
    return {
      deployment: startedDeployment.deployment,
      ...(lastEndAt === undefined ? {} : { lastEndAt }),
      done: done.finally(() => ports.ownDeployments?.delete(startedDeployment.deployment)),
      cancel: localDeployment.cancel,
      terminate() {
        isTerminated = true
        localDeployment.terminate()
      },
    }
  } catch (thrown) {
    emitter.emit({ cancelEvent: {} })
    await closeRunEnvironment(environment)
    throw thrown
  }
}

function emitWarning(sink: EventSink, message: string): void {
  const severity = 'warning' as const
  const prefix = `${severity}: `
  sink.emit({ diagnosticEvent: { prefix, message, color: 'raw', severity } })
}

/** Returns the deployment to run: a new or an interrupted one. Returns undefined for a preview. */
function startOrResume({ ports, request }: RunInput): Promise<StartedDeployment | undefined> {
  if (request.dryRun) return Promise.resolve(undefined)
  return request.resume ? resumeDeployment(ports, request) : startDeployment(ports, request)
}

/**
 * Returns the id under which a generator run stores its events. A resumed run has another id than
 * earlier runs, so their events stay separate.
 */
function writerIdOf({ earlierRuns }: StartedDeployment): string {
  return earlierRuns === undefined
    ? 'generator'
    : `generator-${earlierRuns.lastOperationId}-${earlierRuns.earlierEnds.size}`
}

/** Returns the time of the last success of an operation in the earlier generator runs. */
function findLastEnd({ earlierRuns }: StartedDeployment): EpochMs | undefined {
  const ends = earlierRuns === undefined ? [] : [...earlierRuns.earlierEnds.values()]
  return ends.reduce<EpochMs | undefined>((last, { outcome }) => {
    if (outcome?.verdict !== 'succeeded') return last
    return last !== undefined && last > outcome.endedAt ? last : outcome.endedAt
  }, undefined)
}

/** Returns the result of a deployment after its events were stored. */
async function flushAfter<T>(done: Promise<T>, recorder: EventRecorder | undefined): Promise<T> {
  try {
    return await done
  } finally {
    await recorder?.flush()
  }
}
