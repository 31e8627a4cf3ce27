import { createEventRecorder, type EventRecorder } from '../shared/engine/events/recorder.ts'
import type { EventSink } from '../shared/engine/events/event.ts'
import { startDeployment, type StartedDeployment } from '../functions/step-generator/start.ts'
import { resumeDeployment } from '../functions/step-generator/resume.ts'
import type { RunningDeployment } from '../shared/engine/request.ts'
import type { DeploymentId } from '../shared/records/ids.ts'
import { deploymentRun } from './deployment-run.ts'
import { patiently } from '../functions/surroundings/patient.ts'
import { previewRun } from '../functions/step-generator/preview-run.ts'
import { shownConfig } from '../functions/step-generator/settle-in.ts'
import { createToldOnce, type LifeSink } from '../functions/surroundings/told-once.ts'
import { type Asked, surround, tearDown } from '../functions/surroundings/surround.ts'

/** What runs in this process; a preview is no deployment. */
export interface RunningHere extends RunningDeployment {
  readonly deployment?: DeploymentId
}

/** Starts a deployment or preview in this process. Throws STACK_BUSY before anything runs. */
export async function deploy(given: Asked): Promise<RunningHere> {
  let recorder: EventRecorder | undefined
  const sink: EventSink = {
    emit(event, states) {
      recorder?.emit(event)
      given.sink.emit(event, states)
    },
    provider: given.sink.provider,
  }
  let isGivenUp = false
  const asked = patiently(given, { isWorthIt: () => !isGivenUp, said: text => warn(sink, text) })
  const { request, platform, ports } = asked
  // Only lives that follow each other have to remember what was told.
  const onlySink = (): LifeSink => {
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
  const nextSink = request.functionLimitMs === undefined ? onlySink : createToldOnce(sink)
  const first = nextSink()
  const counted = new Map<string, number>()
  const surroundings = await surround({ ...asked, counted, sink: first })
  const { emitter } = surroundings
  const startedAt = platform.clock.monotonicMs()
  try {
    const started = await startedOf(asked)
    if (started !== undefined)
      recorder = createEventRecorder(platform, started.deployment, writerOf(started))
    sink.emit({ preludeEvent: { config: shownConfig(request) } })
    if (started === undefined) return previewRun(asked, surroundings, startedAt)
    const life = { surroundings, started, sink: first }
    const running = deploymentRun({ ...asked, counted, sink }, { first: life, startedAt, nextSink })
    ports.here?.add(started.deployment)
    const done = keptWith(running.done, recorder)
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
    await tearDown(surroundings)
    throw thrown
  }
}

function warn(sink: EventSink, message: string): void {
  const severity = 'warning' as const
  const prefix = `${severity}: `
  sink.emit({ diagnosticEvent: { prefix, message, color: 'raw', severity } })
}

/** The deployment to be run: a new one or an interrupted one; none for a preview. */
function startedOf({ ports, request }: Asked): Promise<StartedDeployment | undefined> {
  if (request.dryRun) return Promise.resolve(undefined)
  return request.resume ? resumeDeployment(ports, request) : startDeployment(ports, request)
}

/** Each life writes events of its own. */
function writerOf({ left }: StartedDeployment): string {
  return left === undefined ? 'generator' : `generator-${left.last}-${left.before.size}`
}

/** What a deployment comes to, once its events are kept. */
async function keptWith<T>(done: Promise<T>, recorder: EventRecorder | undefined): Promise<T> {
  try {
    return await done
  } finally {
    await recorder?.flush()
  }
}
