import { usePolled } from '../api/use-polled.ts'
import { costPollIntervalMsOf } from '../deployment/cost-poll.ts'
import { formatDollars } from '../format/format-dollars.ts'
import { useClient } from '../session/client-context.ts'

/**
 * The cost of a deployment in the API. If `isBilled` is false, no function of AWS served the
 * deployment.
 */
interface ShownCost {
  readonly isBilled: boolean
  readonly prices: { readonly asOf: string; readonly region: string }
  readonly total?: { readonly cost: { readonly total: number } }
}

/**
 * Shows the cost of an ended deployment on AWS. Shows nothing where deployments cost nothing, or
 * while the cost cannot be read. Reads the cost again for some minutes after the end. `path`: the
 * path of the deployment in the API.
 */
export function DeploymentCostText(props: {
  path: string
  endedAt: number | undefined
  nowMs: number
}) {
  const { path, endedAt, nowMs } = props
  const { client } = useClient()
  const { value } = usePolled({
    key: path,
    intervalMs: costPollIntervalMsOf(endedAt, nowMs),
    read: signal => client.read<ShownCost>(`${path}/cost`, signal),
  })
  if (value?.isBilled !== true || value.total === undefined) return null
  const { asOf, region } = value.prices
  return (
    <span title={`At list prices of ${region}, ${asOf}, without storage and transfer`}>
      {' '}
      · {formatDollars(value.total.cost.total)}
    </span>
  )
}
