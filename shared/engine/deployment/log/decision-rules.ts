import { error } from '../../../errors/error.ts'
import type { DecisionLogPort } from '../../../ports/records.ts'
import { deploymentPartsOf, type DeploymentId, type LogNumber } from '../../../records/ids.ts'
import { rulesVersion } from '../../../records/log.ts'
import type { Pin } from './log-view.ts'

/**
 * The first pin of a deployment; undefined before there is one. It follows the take-over at once:
 * what the deployment decided since is not read.
 */
export async function readFirstPin(
  ports: { readonly decisionLog: DecisionLogPort },
  deployment: DeploymentId,
): Promise<Pin | undefined> {
  const records = await ports.decisionLog.read(deployment, 0 as LogNumber, 2)
  return records
    .flatMap(({ decisions }) => decisions)
    .find((decision): decision is Pin => decision.kind === 'pin')
}

/**
 * Requires that a deployment was begun with rules of decision and fold that this version knows.
 * Throws RECORD_TOO_NEW, before anything of the deployment was touched.
 */
export function requireKnownRules(
  deployment: DeploymentId,
  pin: Pick<Pin, 'rules'> | undefined,
): void {
  if (pin === undefined || pin.rules <= rulesVersion) return
  const { number, stack } = deploymentPartsOf(deployment)
  throw error(
    'RECORD_TOO_NEW',
    `deployment ${number} of '${stack}' was begun by a newer antichain: ` +
      `it follows rules ${pin.rules}, this version knows ${rulesVersion}`,
  )
}
