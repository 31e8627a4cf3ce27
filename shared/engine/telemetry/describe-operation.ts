import type { SpanEvent, SpanRecord, TelemetryAttributes } from '../../ports/telemetry.ts'
import {
  type DeploymentId,
  deploymentPartsOf,
  type StackId,
  stackPartsOf,
} from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { SpanContext } from '../../records/trace-context.ts'
import type { StepEnd } from '../step-end.ts'

/** The facts about one ended operation from which its span and measurements follow. */
export interface ObservedEnd {
  readonly deployment: DeploymentId
  readonly operation: Pick<Operation, 'id' | 'op' | 'urn' | 'type'>
  readonly span: SpanContext
  readonly parent: SpanContext
  /** The time at which the executor received the operation, in ms since 1970, like the next two. */
  readonly startMs: number
  /** The time at which the operation no longer waited for limits or a slot. */
  readonly readyMs: number
  /** The time at which the end of the operation was recorded. */
  readonly endMs: number
  readonly attempt: number
  readonly events: readonly SpanEvent[]
  readonly end: Pick<StepEnd, 'verdict' | 'resultOp'>
}

/** Returns the attributes that name a stack. */
export function createStackAttributes(id: StackId): TelemetryAttributes {
  const { project, stack } = stackPartsOf(id)
  return { 'antichain.project': project, 'antichain.stack': stack }
}

/** Returns the span of an ended operation. It has the URN, and no value of the resource. */
export function describeOperationSpan(facts: ObservedEnd): SpanRecord {
  const { deployment, operation, span: context, parent, startMs, endMs, end, events } = facts
  return {
    name: `${operation.op} ${operation.type}`,
    kind: 'internal',
    context,
    parent,
    startMs,
    endMs,
    events,
    attributes: {
      ...createStackAttributes(deploymentPartsOf(deployment).stack),
      'antichain.deployment': deploymentPartsOf(deployment).number,
      'antichain.operation.id': operation.id,
      'antichain.operation.kind': operation.op,
      'antichain.operation.outcome': end.verdict,
      'antichain.operation.attempts': facts.attempt,
      'antichain.resource.urn': operation.urn,
      'antichain.resource.type': operation.type,
    },
    hasFailed: end.verdict !== 'succeeded',
  }
}

/**
 * Returns the attributes with which an ended operation is counted. They have few possible values,
 * because each combination is a counter of its own.
 */
export function describeOperationCount(
  facts: Pick<ObservedEnd, 'deployment' | 'operation' | 'end'>,
): TelemetryAttributes {
  return {
    ...createStackAttributes(deploymentPartsOf(facts.deployment).stack),
    'antichain.operation.kind': facts.operation.op,
    'antichain.operation.outcome': facts.end.verdict,
  }
}

/** Reports whether an ended operation is a refresh that found its resource changed or gone. */
export function hasFoundDrift({ operation, end }: Pick<ObservedEnd, 'operation' | 'end'>): boolean {
  return operation.op === 'refresh' && (end.resultOp === 'update' || end.resultOp === 'delete')
}
