import type { HistoryRecord } from '../../ports/catalog.ts'
import type { SpanRecord, TelemetryAttributes, TelemetryPort } from '../../ports/telemetry.ts'
import { type DeploymentId, deploymentPartsOf } from '../../records/ids.ts'
import { type DeploymentTrace, restoreTrace } from './deployment-trace.ts'
import { createStackAttributes } from './describe-operation.ts'

/**
 * Reports the span and the measurements of a deployment that has been released. `pin` is its first
 * pin. Never rejects, because the deployment has ended already.
 */
export async function reportDeployment(
  deps: {
    readonly telemetry: TelemetryPort
    /** Returns the history entry of the deployment. */
    readonly readEntry: () => Promise<HistoryRecord | undefined>
  },
  deployment: DeploymentId,
  pin: Parameters<typeof restoreTrace>[1] | undefined,
): Promise<void> {
  const { telemetry, readEntry } = deps
  if (!telemetry.isOn || pin === undefined) return
  const entry = await readEntry().catch(() => undefined)
  if (entry === undefined) return
  const span = describeDeploymentSpan(entry, restoreTrace(deployment, pin))
  const attributes = describeDeploymentCount(entry)
  telemetry.recordSpan(span)
  telemetry.addToCounter('antichain.deployments', 1, attributes)
  const seconds = (span.endMs - span.startMs) / 1_000
  telemetry.recordDuration('antichain.deployment.duration', seconds, attributes)
}

/** Returns the span of an ended deployment, with the number of its operations of each kind. */
function describeDeploymentSpan(
  entry: HistoryRecord,
  { span: context, parent }: DeploymentTrace,
): SpanRecord {
  const { deployment, startedAt: startMs, endedAt: endMs = startMs, changes = {} } = entry
  const counts = Object.entries(changes).map(
    ([operation, count]) => [`antichain.changes.${operation}`, count] as const,
  )
  return {
    name: `deployment ${entry.command}`,
    kind: 'internal',
    context,
    parent,
    startMs,
    endMs,
    attributes: {
      ...describeDeploymentCount(entry),
      'antichain.deployment': deploymentPartsOf(deployment).number,
      ...Object.fromEntries(counts),
    },
    events: [],
    hasFailed: entry.result !== 'succeeded',
  }
}

function describeDeploymentCount({
  deployment,
  command,
  result,
}: HistoryRecord): TelemetryAttributes {
  return {
    ...createStackAttributes(deploymentPartsOf(deployment).stack),
    'antichain.command': command,
    'antichain.result': result ?? 'interrupted',
  }
}
