import { createConfigRedactor } from '../../shared/runtime/environment/redact-config-secrets.ts'
import {
  createEventRecorder,
  type EventRecorder,
} from '../../shared/engine/events/event-recorder.ts'
import type { EventSink, StepMetadata } from '../../shared/engine/events/event.ts'
import { shutdownMarginMsOf } from '../../shared/engine/deployment/ownership/decide-hand-over.ts'
import type { DeployInput, DeployResult } from '../../shared/engine/request.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import { isChange } from '../../shared/records/change-counts.ts'
import { previewIdOf } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import {
  createRunEnvironment,
  type RunEnvironment,
} from '../../shared/runtime/environment/run-environment.ts'
import type { RunInput } from '../../shared/runtime/environment/run-input.ts'
import {
  withStackSettings,
  type StackRunDeps,
} from '../../shared/runtime/environment/stack-run-deps.ts'
import { runPreview } from './run-preview.ts'
import { notifyAndEndRequest, type NotifyDeps } from './send-notifications.ts'
import { maskedConfigOf } from './prepare-run.ts'
import type { RunLimit } from './serve-run.ts'
import { storeApproval } from './store-approval.ts'

/** Maximum number of stored errors of a preview. */
const errorsMax = 20

/** Maximum number of characters of each stored error. */
const errorCharactersMax = 1_000

/** Maximum number of changed resources that are stored by name. */
const urnsMax = 100

/** Maximum number of characters of a stored forecast. */
const forecastCharactersMax = 64 * 1024

/** A queued request for a preview, and the engine input that was made from this request. */
interface OpenedPreview {
  readonly request: DeployInput
  readonly queuedRequest: DeploymentRequest
  /**
   * The time in which the plan can be approved, if the request waits for an approval after this
   * preview. Absent: it does not wait.
   */
  readonly approvalPeriodMs?: number | undefined
}

/**
 * Runs a requested preview, sends its notifications, and stores the result with the request. Users
 * can read the events during the preview, under the id of the preview.
 *
 * No other process can continue a preview. When the time is over, the preview is therefore stopped,
 * and a nudge makes the long pool run the preview from its beginning. The function then returns
 * `passed on`.
 */
export async function servePreview(
  server: StackRunDeps & NotifyDeps,
  preview: OpenedPreview,
  time: RunLimit,
): Promise<'ended' | 'passed on'> {
  const { platform, ports, hosts } = server
  const { queuedRequest, approvalPeriodMs } = preview
  const { stack, key } = queuedRequest
  const request = { ...preview.request, draftsUpdatePlan: approvalPeriodMs !== undefined }
  const startedMs = platform.clock.monotonicMs()
  const startedAt = platform.clock.now()
  const recorder = createEventRecorder(platform, previewIdOf(stack, key), platform.random.uuid())
  const observer = observePreview(recorder, createConfigRedactor(request))
  const { sink } = observer
  const baseInput = { platform, ports, request, sink, ...(hosts === undefined ? {} : { hosts }) }
  const input = await withStackSettings(server, baseInput)
  const environment = await createRunEnvironment(input)
  sink.emit({ preludeEvent: { config: maskedConfigOf(request) } })
  const onTimeOver = async (): Promise<void> => {
    observer.mute()
    // The nudge is sent first, because this process may be stopped before program and plugins end.
    await platform.nudges.nudge(stack, 0, { pool: 'long' })
  }
  let result: DeployResult | undefined
  try {
    result = await runWithinTime(input, environment, { time, startedMs, onTimeOver })
  } finally {
    await recorder.flush()
  }
  if (result === undefined) return 'passed on'
  const approvalField =
    approvalPeriodMs === undefined
      ? {}
      : await storeApproval(server, ports.documents, {
          queuedRequest,
          input: request,
          result,
          approvalPeriodMs,
        })
  const end = {
    kind: 'previewed',
    result: result.result === 'interrupted' ? 'cancelled' : result.result,
    startedAt,
    changes: result.changes,
    ...observer.read(),
    ...storedForecastOf(result),
    ...approvalField,
  } as const
  await notifyAndEndRequest(server, queuedRequest, end)
  return 'ended'
}

/** Returns the forecast of a result as a field of a record, unless it is too large. */
function storedForecastOf({ forecast }: DeployResult): Pick<DeployResult, 'forecast'> {
  const isStored =
    forecast !== undefined && JSON.stringify(forecast).length <= forecastCharactersMax
  return isStored ? { forecast } : {}
}

/** Reports whether a step is about a resource of a plugin: neither a component nor a provider. */
function isOfPlugin({ old, new: next, type }: StepMetadata): boolean {
  return (next ?? old)?.custom === true && !type.startsWith('pulumi:providers:')
}

/** Creates the observer of a preview. Its sink records events, errors and changed resources. */
function observePreview(recorder: EventRecorder, redact: (text: string) => string) {
  const errors: string[] = []
  const urns = new Set<string>()
  let resourceCount = 0
  let isMuted = false
  const sink: EventSink = {
    emit(event) {
      if (isMuted) return
      recorder.emit(event)
      if ('resOutputsEvent' in event) {
        const { metadata } = event.resOutputsEvent
        const { op, urn } = metadata
        if (isOfPlugin(metadata)) resourceCount += 1
        if (isChange(op) && urns.size < urnsMax) urns.add(urn)
      }
      if (!('diagnosticEvent' in event) || errors.length >= errorsMax) return
      const { severity, message } = event.diagnosticEvent
      if (severity === 'error') errors.push(redact(message).slice(0, errorCharactersMax))
    },
  }
  return {
    sink,
    /** Drops all further events. */
    mute: (): void => {
      isMuted = true
    },
    read: () => ({ errors, urns: [...urns], resourceCount }),
  }
}

/**
 * Runs a preview until it ends, or until its time is over. When the time is over, calls
 * `onTimeOver`, kills program and plugins, and returns undefined.
 */
async function runWithinTime(
  input: RunInput,
  environment: RunEnvironment,
  options: {
    readonly time: RunLimit
    readonly startedMs: number
    readonly onTimeOver: () => Promise<void>
  },
) {
  const { startedMs, onTimeOver } = options
  const { done, terminate } = runPreview(input, environment, startedMs)
  const waitEnd = new AbortController()
  const timeOver = waitForTimeOver(input.platform.clock, options, waitEnd.signal)
  try {
    const result = await Promise.race([done, timeOver])
    if (result !== 'time over') return result
  } finally {
    waitEnd.abort()
  }
  try {
    await onTimeOver()
    return undefined
  } finally {
    terminate()
    environment.plugins.abandon()
    await environment.processes.close()
    // The error of a killed program has no meaning.
    await done.catch(() => undefined)
  }
}

/**
 * Resolves when only the time for a shutdown remains, or when the process must shut down. Never
 * resolves after `endSignal` has aborted.
 */
async function waitForTimeOver(
  clock: ClockPort,
  { time, startedMs }: { readonly time: RunLimit; readonly startedMs: number },
  endSignal: AbortSignal,
): Promise<'time over'> {
  const { limitMs = Infinity, handOverSignal } = time
  const timeOverAtMs = startedMs + limitMs - shutdownMarginMsOf(limitMs)
  const wakeSignals = handOverSignal === undefined ? [endSignal] : [endSignal, handOverSignal]
  await clock.sleep(timeOverAtMs - clock.monotonicMs(), AbortSignal.any(wakeSignals))
  return endSignal.aborted ? new Promise(() => undefined) : 'time over'
}
