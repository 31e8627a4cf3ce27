import { scrubberOf } from '../surroundings/scrub.ts'
import { createEventRecorder, type EventRecorder } from '../../shared/engine/events/recorder.ts'
import type { EventSink } from '../../shared/engine/events/event.ts'
import type { DeployRequest, DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import { previewIdOf } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/request.ts'
import { surround } from '../surroundings/surround.ts'
import { inEnvironment, type LifeDeps } from './serve-life.ts'
import { previewRun } from './preview-run.ts'
import { isChange } from './result.ts'
import { endTold, type TellDeps } from './tell-result.ts'
import { shownConfig } from './settle-in.ts'

/** Errors of a preview that are kept, and characters of each. */
const errorsMax = 20
const errorCharactersMax = 1_000
/** Resources that are kept by name, of those of which something would change. */
const urnsMax = 100

/**
 * Runs a preview that was asked for, and keeps what it came to with its request; what it tells can
 * be read meanwhile, under its own id.
 */
export async function servePreview(
  server: LifeDeps & TellDeps,
  request: DeployRequest,
  wanted: DeploymentRequest,
): Promise<'ended'> {
  const { platform, ports, hosts } = server
  const scrub = scrubberOf(request)
  const errors: string[] = []
  const { stack, key } = wanted
  const recorder = createEventRecorder(platform, previewIdOf(stack, key), platform.random.uuid())
  const urns = new Set<string>()
  const sink: EventSink = {
    emit(event) {
      recorder.emit(event)
      if ('resOutputsEvent' in event) {
        const { op, urn } = event.resOutputsEvent.metadata
        if (isChange(op) && urns.size < urnsMax) urns.add(urn)
      }
      if (!('diagnosticEvent' in event) || errors.length >= errorsMax) return
      const { severity, message } = event.diagnosticEvent
      if (severity === 'error') errors.push(scrub(message).slice(0, errorCharactersMax))
    },
  }
  const given = { platform, ports, request, sink, ...(hosts === undefined ? {} : { hosts }) }
  const asked = await inEnvironment(server, given)
  const startedMs = platform.clock.monotonicMs()
  const surroundings = await surround(asked)
  sink.emit({ preludeEvent: { config: shownConfig(request) } })
  const { result, changes } = await endOf(previewRun(asked, surroundings, startedMs), recorder)
  const came = result === 'interrupted' ? 'cancelled' : result
  const end = { kind: 'previewed', result: came, changes, errors, urns: [...urns] } as const
  await endTold(server, wanted, end)
  return 'ended'
}

/** What a preview comes to, once its events are kept. */
async function endOf({ done }: RunningDeployment, recorder: EventRecorder): Promise<DeployResult> {
  try {
    return await done
  } finally {
    await recorder.flush()
  }
}
