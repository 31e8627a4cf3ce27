import { createEventRecorder, type EventRecorder } from '../shared/engine/events/recorder.ts'
import type { EventSink } from '../shared/engine/events/event.ts'
import {
  startDeployment,
  type StartedDeployment,
} from '../functions/step-generator/start-deployment.ts'
import { resumeDeployment } from '../functions/step-generator/resume-deployment.ts'
import type { RunningDeployment } from '../shared/engine/request.ts'
import type { DeploymentId } from '../shared/records/ids.ts'
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

/** A deployment in this process. A preview has no deployment id. */
export interface RunningLocalDeployment extends RunningDeployment {
  readonly deployment?: DeploymentId
}

/** Starts a deployment or preview in this process. Throws STACK_BUSY before anything runs. */
export async function deploy(baseInput: RunInput): Promise<RunningLocalDeployment> {
  let recorder: EventRecorder | undefined
  const sink: EventSink = {
    emit(event, states) {
      recorder?.emit(event)
      baseInput.sink.emit(event, states)
    },
    provider: baseInput.sink.provider,
  }
  let isGivenUp = false
  const input = withStoreRetry(baseInput, {
    shouldRetry: () => !isGivenUp,
    onOutage: text => emitWarning(sink, text),
  })
  const { request, platform, ports } = input
  // Only successive generator runs must remember the emitted events.
  const createOnlySink = (): RunSink => {
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
  const nextSink =
    request.functionLimitMs === undefined ? createOnlySink : createDeduplicatedSinks(sink)
  const first = nextSink()
  const counted = new Map<string, number>()
  const environment = await createRunEnvironment({ ...input, counted, sink: first })
  const { emitter } = environment
  const startedAt = platform.clock.monotonicMs()
  try {
    const started = await startOrResume(input)
    if (started !== undefined)
      recorder = createEventRecorder(platform, started.deployment, writerOf(started))
    sink.emit({ preludeEvent: { config: maskedConfigOf(request) } })
    if (started === undefined) return runPreview(input, environment, startedAt)
    const firstRun = { environment, started, sink: first }
    const running = runLocalDeployment(
      { ...input, counted, sink },
      { first: firstRun, startedAt, nextSink },
    )
    ports.here?.add(started.deployment)
    const done = flushAfter(running.done, recorder)
    return {
      deployment: started.deployment,
      done: done.finally(() => ports.here?.delete(started.deployment)),
      cancel: running.cancel,
      terminate() {
        isGivenUp = true
        running.terminate()
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

/** Returns the deployment to run: a new or an interrupted one, undefined for a preview. */
function startOrResume({ ports, request }: RunInput): Promise<StartedDeployment | undefined> {
  if (request.dryRun) return Promise.resolve(undefined)
  return request.resume ? resumeDeployment(ports, request) : startDeployment(ports, request)
}

/** Returns the writer id of a generator run's events. */
function writerOf({ left }: StartedDeployment): string {
  return left === undefined
    ? 'generator'
    : `generator-${left.lastOperationId}-${left.earlierEnds.size}`
}

/** Returns the result of a deployment after its events were stored. */
async function flushAfter<T>(done: Promise<T>, recorder: EventRecorder | undefined): Promise<T> {
  try {
    return await done
  } finally {
    await recorder?.flush()
  }
}
