import type { CatalogPort } from '../../../ports/catalog.ts'
import { withoutDeployment } from '../../../ports/open-deployments.ts'
import { type DeploymentId, deploymentPartsOf } from '../../../records/ids.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { formatAttributeOf, requireReadableItem } from './record-format.ts'
import {
  type CatalogDeps,
  retryWhileRacing,
  targetedConditionOf,
  targetedValuesOf,
} from './stack-races.ts'
import { parseStackItem } from './stack-record.ts'
import { joinConditions, existsCondition, readableCondition } from './table/expressions.ts'
import { type Item, toItem } from './table/item.ts'
import { getItem, updateItem } from './table/table.ts'
import { transact } from './table/transaction.ts'

/**
 * Creates the release of a deployment: the change of the stack and of the history is one
 * transaction. One request is enough unless targeted deployments are open.
 */
export function createRelease(deps: CatalogDeps): CatalogPort['release'] {
  return async (deployment, end) => {
    const { stack } = deploymentPartsOf(deployment)
    const release = { deployment, end }
    const existing = await writeRelease(deps, release, {
      key: keys.stack(stack),
      updateExpression: 'SET #current = :empty, #startToken = :empty',
      condition: joinConditions(
        readableCondition,
        `#current = :deployment AND ${targetedConditionOf([])}`,
      ),
      values: {
        ...toItem({ deployment, empty: '', ...targetedValuesOf([]) }),
        ...formatAttributeOf('stack'),
      },
    })
    if (existing !== undefined && parseStackItem(stack, existing)?.targeted !== undefined)
      await retryWhileRacing(() => writeTargetedRelease(deps, release))
  }
}

/** A release of a deployment, with the end that the history records. */
interface Release {
  readonly deployment: DeploymentId
  readonly end: Parameters<CatalogPort['release']>[1]
}

/** Releases one of the open targeted deployments. Returns undefined after a race. */
async function writeTargetedRelease(
  deps: CatalogDeps,
  release: Release,
): Promise<true | undefined> {
  const { stack: id } = deploymentPartsOf(release.deployment)
  const stack = parseStackItem(id, await getItem(deps.catalogTable, keys.stack(id)))
  const { targeted = [] } = stack ?? {}
  if (!targeted.some(open => open.deployment === release.deployment)) return true
  const remaining = withoutDeployment(targeted, release.deployment)
  const remainingJson = remaining.length === 0 ? '' : JSON.stringify(remaining)
  const current = remaining[0]?.deployment ?? ''
  const existing = await writeRelease(deps, release, {
    key: keys.stack(id),
    updateExpression: 'SET #current = :current, #targeted = :remaining',
    condition: joinConditions(readableCondition, targetedConditionOf(targeted)),
    values: {
      ...toItem({ current, remaining: remainingJson, ...targetedValuesOf(targeted) }),
      ...formatAttributeOf('stack'),
    },
  })
  return existing === undefined ? true : undefined
}

/** Writes a release. If the condition of `stackUpdate` fails, returns the item of the stack. */
async function writeRelease(
  { catalogTable, random }: CatalogDeps,
  { deployment, end: { at: endedAt, isUnpinned: _isUnpinned, ...end } }: Release,
  stackUpdate: Parameters<typeof updateItem>[1],
): Promise<Item | undefined> {
  const { stack, number } = deploymentPartsOf(deployment)
  const endJson = JSON.stringify({ endedAt, ...end })
  const historyUpdate = {
    key: keys.history(stack, number),
    updateExpression: 'SET #ended = :ended',
    condition: joinConditions(existsCondition, readableCondition),
    values: { ...toItem({ ended: endJson }), ...formatAttributeOf('history') },
  }
  const result = await transact(catalogTable, random, [
    { kind: 'change', change: stackUpdate },
    { kind: 'change', change: historyUpdate },
  ])
  if (result.isDone) return undefined
  const [stackRefusal, historyRefusal] = result.parts
  if (stackRefusal?.isRefused === true) {
    if (stackRefusal.existing !== undefined)
      requireReadableItem('stack', { id: stack }, stackRefusal.existing)
    return stackRefusal.existing
  }
  if (historyRefusal?.existing !== undefined)
    requireReadableItem('history', { stack, number }, historyRefusal.existing)
  else {
    // The entry of the history is missing. The stack must be released nevertheless.
    const stackResult = await updateItem(catalogTable, stackUpdate)
    if (!stackResult.isDone) return stackResult.existing
  }
  return undefined
}
