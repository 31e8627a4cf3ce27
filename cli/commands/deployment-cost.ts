import type { Handler } from '../arguments/handler.ts'
import { parseNumberArgument } from '../arguments/parse-number-argument.ts'
import { formatCost } from '../display/cost-lines.ts'
import {
  describeDeployment,
  requireLastDeploymentNumber,
  toDeploymentJson,
} from './deployment-show.ts'

/**
 * `deployment cost`: shows the counted usage of AWS by a deployment, and its cost at list prices.
 * Without a number it shows the last deployment of the stack. Throws CLI_USAGE, DEPLOYMENT_UNKNOWN.
 */
export const showDeploymentCost: Handler = async (session, flags, [text]) => {
  const stack = await session.requireStack()
  const number =
    text === undefined
      ? await requireLastDeploymentNumber(session, stack)
      : parseNumberArgument(text, 'deployment cost takes the number of a deployment')
  const { readCost } = await session.openEngine()
  const { record, cost } = await readCost(stack, number)
  if (flags.isSet('json')) {
    session.print(JSON.stringify({ ...toDeploymentJson(record, number), ...cost }, null, 2))
    return 0
  }
  const result = record.result ?? 'in progress'
  session.print(describeDeployment(record, result))
  for (const line of formatCost(cost, { isOpen: record.result === undefined })) session.print(line)
  return 0
}
