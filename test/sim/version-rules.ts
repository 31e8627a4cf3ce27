import type { DecisionLogPort } from '../../shared/ports/records.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { type LogRecord, rulesVersion } from '../../shared/records/log.ts'
import type { World } from './world.ts'

/**
 * Returns the decision log as a process of one version reads and writes it. This version is the one
 * under test. A newer version starts logs with rules that this version does not know, and keeps
 * the rules of existing logs. It is a violation if a process of this version writes into a log with
 * newer rules.
 */
export function withVersionRules(
  world: World,
  { key, isNewer }: { readonly key: string; readonly isNewer: boolean },
  log: DecisionLogPort,
): DecisionLogPort {
  const readRules = (deployment: DeploymentId): number | undefined => {
    for (const { decisions } of world.records.log.read(deployment, 0 as LogRecord['number'], 2))
      for (const decision of decisions) if (decision.kind === 'pin') return decision.rules
    return undefined
  }
  return {
    async append(deployment, record) {
      const rules = readRules(deployment)
      const versionedRecord = isNewer ? withRules(record, rules ?? rulesVersion + 1) : record
      const answer = await log.append(deployment, versionedRecord)
      if (!isNewer && answer === 'appended' && (readRules(deployment) ?? 0) > rulesVersion)
        world.violate(`${key} wrote into ${deployment}, which a newer version began`)
      return answer
    },
    async read(deployment, from, limit) {
      const records = await log.read(deployment, from, limit)
      return isNewer ? records.map(record => withRules(record, rulesVersion)) : records
    },
  }
}

function withRules(record: LogRecord, rules: number): LogRecord {
  if (!record.decisions.some(({ kind }) => kind === 'pin')) return record
  const decisions = record.decisions.map(decision =>
    decision.kind === 'pin' ? { ...decision, rules } : decision,
  )
  return { ...record, decisions }
}
