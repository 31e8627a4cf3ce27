import { createConfigRedactor } from '../../shared/runtime/environment/redact-config-secrets.ts'
import { createEventRecorder, type EventRecorder } from '../../shared/engine/events/recorder.ts'
import type { EventSink } from '../../shared/engine/events/event.ts'
import type { DeployRequest, DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import { previewIdOf } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/request.ts'
import { createRunEnvironment } from '../../shared/runtime/environment/run-environment.ts'
import {
  withStackVariables,
  type StackRunDeps,
} from '../../shared/runtime/environment/stack-run-deps.ts'
import { runPreview } from './run-preview.ts'
import { isChange } from './run-result.ts'
import { notifyAndEndRequest, type NotifyDeps } from './notify-result.ts'
import { maskedConfigOf } from './prepare-run.ts'

/** Maximum number of stored errors of a preview, and maximum number of characters of each error. */
const errorsMax = 20
const errorCharactersMax = 1_000
/** Maximum number of changed resources that are stored by name. */
const urnsMax = 100

/**
 * Runs a requested preview, sends its notifications, and stores the result with the request. Users
 * can read the events during the preview, under the id of the preview.
 */
export async function servePreview(
  server: StackRunDeps & NotifyDeps,
  request: DeployRequest,
  deploymentRequest: DeploymentRequest,
): Promise<'ended'> {
  const { platform, ports, hosts } = server
  const redact = createConfigRedactor(request)
  const errors: string[] = []
  const { stack, key } = deploymentRequest
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
      if (severity === 'error') errors.push(redact(message).slice(0, errorCharactersMax))
    },
  }
  const baseInput = { platform, ports, request, sink, ...(hosts === undefined ? {} : { hosts }) }
  const input = await withStackVariables(server, baseInput)
  const startedMs = platform.clock.monotonicMs()
  const environment = await createRunEnvironment(input)
  sink.emit({ preludeEvent: { config: maskedConfigOf(request) } })
  const { result, changes } = await awaitEnd(runPreview(input, environment, startedMs), recorder)
  const previewResult = result === 'interrupted' ? 'cancelled' : result
  const end = {
    kind: 'previewed',
    result: previewResult,
    changes,
    errors,
    urns: [...urns],
  } as const
  await notifyAndEndRequest(server, deploymentRequest, end)
  return 'ended'
}

/** Returns the result of a preview after its events were stored. */
async function awaitEnd(
  { done }: RunningDeployment,
  recorder: EventRecorder,
): Promise<DeployResult> {
  try {
    return await done
  } finally {
    await recorder.flush()
  }
}
