import type { ClockPort } from '../../ports/system.ts'
import type { SpanEvent, TelemetryAttributes, TelemetryPort } from '../../ports/telemetry.ts'
import { type DeploymentId, deploymentPartsOf } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { type DeploymentTrace, deriveOperationSpan } from './deployment-trace.ts'
import {
  describeOperationCount,
  describeOperationSpan,
  createStackAttributes,
  hasFoundDrift,
  type ObservedEnd,
} from './describe-operation.ts'

/** The reason why an operation waits before its begin: the limits of calls, or a free slot. */
export type WaitReason = 'limit' | 'slot'

/** The observation of one operation in one executor. Its methods never throw. */
export interface OperationObservation {
  /**
   * Called when a wait is over. The first wait begins with the observation, each other one when the
   * previous wait is over.
   */
  readonly endWait: (reason: WaitReason) => void
  /** Called when a call is repeated. */
  readonly countRetry: (reason: 'not-sent' | 'provider-lost') => void
  readonly countThrottledCall: () => void
  /** Runs the calls of the operation, so that their spans become children of its span. */
  readonly runWithin: <T>(run: () => T) => T
  /** Called once, when the end of the operation is recorded. */
  readonly end: (end: ObservedEnd['end'], attempt: number) => void
}

/** Begins the observation of an operation. */
export type ObserveOperation = (operation: Operation) => OperationObservation

const silentObservation: OperationObservation = {
  endWait: () => undefined,
  countRetry: () => undefined,
  countThrottledCall: () => undefined,
  runWithin: run => run(),
  end: () => undefined,
}

/** Observes nothing, for a process without telemetry. */
export const observeNothing: ObserveOperation = () => silentObservation

/** Number of events that a span keeps. Counters also count the later ones. */
const eventsMax = 32

/** Creates the observer of a deployment's operations in this process. */
export function createOperationObserver(
  ports: { readonly telemetry: TelemetryPort; readonly clock: Pick<ClockPort, 'now'> },
  deployment: DeploymentId,
  trace: DeploymentTrace,
): ObserveOperation {
  if (!ports.telemetry.isOn) return observeNothing
  return operation => createObservation(ports, { deployment, trace, operation })
}

function createObservation(
  { telemetry, clock }: Parameters<typeof createOperationObserver>[0],
  observed: {
    readonly deployment: DeploymentId
    readonly trace: DeploymentTrace
    readonly operation: Operation
  },
): OperationObservation {
  const { deployment, trace, operation } = observed
  const span = deriveOperationSpan(trace, operation.id)
  const stackAttributes = createStackAttributes(deploymentPartsOf(deployment).stack)
  const startMs: number = clock.now()
  let readyMs = startMs
  const events: SpanEvent[] = []
  const addEvent = (name: string, attributes: TelemetryAttributes): void => {
    if (events.length < eventsMax) events.push({ name, atMs: clock.now(), attributes })
  }
  return {
    endWait(reason) {
      const nowMs: number = clock.now()
      const seconds = (nowMs - readyMs) / 1_000
      const attributes = { 'antichain.wait.reason': reason }
      if (seconds > 0) addEvent('wait', { ...attributes, 'antichain.wait.seconds': seconds })
      telemetry.recordDuration('antichain.operation.wait', seconds, {
        ...stackAttributes,
        ...attributes,
      })
      readyMs = nowMs
    },
    countRetry(reason) {
      const attributes = { 'antichain.retry.reason': reason }
      addEvent('retry', attributes)
      telemetry.addToCounter('antichain.retries', 1, { ...stackAttributes, ...attributes })
    },
    countThrottledCall() {
      addEvent('throttled', {})
      telemetry.addToCounter('antichain.throttled_calls', 1, stackAttributes)
    },
    runWithin: run => telemetry.runWithin(span, run),
    end(end, attempt) {
      const endMs: number = clock.now()
      const ids = { deployment, operation, span, parent: trace.span }
      reportOperation(telemetry, { ...ids, startMs, readyMs, endMs, attempt, events, end })
    },
  }
}

function reportOperation(telemetry: TelemetryPort, facts: ObservedEnd): void {
  const attributes = describeOperationCount(facts)
  telemetry.recordSpan(describeOperationSpan(facts))
  telemetry.addToCounter('antichain.operations', 1, attributes)
  const seconds = (facts.endMs - facts.readyMs) / 1_000
  telemetry.recordDuration('antichain.operation.duration', seconds, attributes)
  if (hasFoundDrift(facts))
    telemetry.addToCounter(
      'antichain.drifted_resources',
      1,
      createStackAttributes(deploymentPartsOf(facts.deployment).stack),
    )
}
