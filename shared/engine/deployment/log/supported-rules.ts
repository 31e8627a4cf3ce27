import { createError } from '../../../errors/error.ts'
import type { DecisionLogPort } from '../../../ports/records.ts'
import { deploymentPartsOf, type DeploymentId, type LogNumber } from '../../../records/ids.ts'
import { rulesVersion } from '../../../records/log.ts'
import type { Pin } from './log-view.ts'

/**
 * Returns the first pin of a deployment, or undefined if the log has no pin yet. The first pin is
 * in the first or second record of the log, so later records are not read.
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
 * Throws RECORD_TOO_NEW for a deployment with newer decision and fold rules than this version
 * supports. Callers check the rules before they change anything of the deployment.
 */
export function requireSupportedRules(
  deployment: DeploymentId,
  pin: Pick<Pin, 'rules'> | undefined,
): void {
  if (pin === undefined || pin.rules <= rulesVersion) return
  const { number, stack } = deploymentPartsOf(deployment)
  throw createError(
    'RECORD_TOO_NEW',
    `deployment ${number} of '${stack}' was started by a newer antichain: it follows rules ${pin.rules}, this version supports rules up to ${rulesVersion}`,
  )
}

/**
 * Reports whether the retry of a partially failed create is an update. Before version 4 of the
 * rules, the retry is a create.
 */
export function retriesCreateAsUpdate({ rules }: Pick<Pin, 'rules'>): boolean {
  return rules >= 4
}
