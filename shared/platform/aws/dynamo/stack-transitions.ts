import { historyBeginOf } from '../../records/history-begin.ts'
import { createError } from '../../../errors/error.ts'
import { limits } from '../../../config/limits.ts'
import type {
  CatalogPort,
  ClaimBasis,
  DeploymentStart,
  TargetedDeployment,
} from '../../../ports/catalog.ts'
import {
  findDeploymentByToken,
  hasClaimBasis,
  withClaim,
  withPublication,
} from '../../../ports/open-deployments.ts'
import {
  type BlobHash,
  type DeploymentId,
  deploymentIdOf,
  deploymentPartsOf,
  type StackId,
} from '../../../records/ids.ts'
import { joinConditions, readableCondition, existsCondition } from './table/expressions.ts'
import { toItem } from './table/item.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { type StoredStack, parseStackItem } from './stack-record.ts'
import { formatAttributeOf } from './record-format.ts'
import { getItem, type Table, updateItem } from './table/table.ts'
import { transact } from './table/transaction.ts'
import { createRelease } from './release-deployment.ts'
import {
  type CatalogDeps,
  retryWhileRacing,
  targetedConditionOf,
  targetedValuesOf,
} from './stack-races.ts'

type StackTransitions = Pick<
  CatalogPort,
  'start' | 'startTargeted' | 'extendClaim' | 'publish' | 'release'
>

const existingStackCondition = joinConditions(
  existsCondition,
  joinConditions(readableCondition, '#removed = :no'),
)

/**
 * Creates the catalog's methods that start or release a deployment, extend its claim, or publish a
 * snapshot. Each write returns undefined after a race, and `retryWhileRacing` then repeats it.
 */
export function createStackTransitions(deps: CatalogDeps): StackTransitions {
  return {
    start: (id, input) => {
      const token = deps.random.uuid()
      return retryWhileRacing(() => writeStart(deps, { id, token, ...input }))
    },
    startTargeted: (id, input, claim) => {
      const token = deps.random.uuid()
      return retryWhileRacing(() => writeTargetedStart(deps, { id, token, ...input, ...claim }))
    },
    extendClaim: (deployment, claim, expected) =>
      retryWhileRacing(() => writeClaim(deps, deployment, { claim, expected })),
    publish: (id, expectedVersion, snapshot, publisher) =>
      retryWhileRacing(() => writePublication(deps, { id, expectedVersion, snapshot, publisher })),
    release: createRelease(deps),
  }
}

async function writeStart(
  { catalogTable, random }: CatalogDeps,
  input: Parameters<StackTransitions['start']>[1] & {
    readonly id: StackId
    readonly token: string
  },
): Promise<Awaited<ReturnType<StackTransitions['start']>> | undefined> {
  const { id, token } = input
  const stack = await requireStack(catalogTable, id)
  if (stack.current !== '') {
    const kind = stack.startToken === token ? 'started' : 'busy'
    return { kind, deployment: stack.current }
  }
  const number = stack.deployments + 1
  const deployment = deploymentIdOf(id, number)
  const change = {
    key: keys.stack(id),
    updateExpression:
      'SET #current = :deployment, #targeted = :empty, #deployments = :number, #startToken = :token',
    condition: joinConditions(
      existingStackCondition,
      '#current = :empty AND #deployments = :before',
    ),
    values: {
      ...toItem({ deployment, number, token, empty: '', no: false, before: number - 1 }),
      ...formatAttributeOf('stack'),
    },
  }
  return insertDeployment({ catalogTable, random }, input, { deployment, change })
}

/** Writes a start: the stack, the history, and the list of deployments. */
async function insertDeployment(
  { catalogTable, random }: CatalogDeps,
  input: DeploymentStart & { readonly id: StackId },
  {
    deployment,
    change,
  }: { readonly deployment: DeploymentId; readonly change: Parameters<typeof updateItem>[1] },
): Promise<{ readonly kind: 'started'; readonly deployment: DeploymentId } | undefined> {
  const { id } = input
  const { number } = deploymentPartsOf(deployment)
  const historyItem = {
    ...toItem({ begun: JSON.stringify(historyBeginOf(deployment, input)) }),
    ...formatAttributeOf('history'),
  }
  const { isDone } = await transact(catalogTable, random, [
    { kind: 'change', change },
    { kind: 'put', key: keys.history(id, number), item: historyItem, ifAbsent: true },
    // Retention finds the records of the deployment by this item.
    { kind: 'put', key: keys.deploymentListEntry(deployment), item: {}, ifAbsent: false },
  ])
  return isDone ? { kind: 'started', deployment } : undefined
}

async function writeTargetedStart(
  deps: CatalogDeps,
  input: DeploymentStart & {
    readonly id: StackId
    readonly token: string
    readonly claim: BlobHash
    readonly expected: ClaimBasis
  },
): Promise<Awaited<ReturnType<StackTransitions['startTargeted']>> | undefined> {
  const { id, token, claim, expected } = input
  const stack = await requireStack(deps.catalogTable, id)
  const { current, targeted = [], version } = stack
  const startedDeployment = findDeploymentByToken(stack, token)
  if (startedDeployment !== undefined) return { kind: 'started', deployment: startedDeployment }
  const isFull = targeted.length >= limits.openDeploymentsMax
  if (current !== '' && (targeted.length === 0 || isFull))
    return { kind: 'busy', deployment: current }
  if (!hasClaimBasis(stack, expected)) return { kind: 'changed' }
  const number = stack.deployments + 1
  const deployment = deploymentIdOf(id, number)
  const openDeployments = [...targeted, { deployment, claim, token }]
  const change = {
    key: keys.stack(id),
    updateExpression:
      'SET #current = :current, #targeted = :after, #deployments = :number, #startToken = :token',
    condition: joinConditions(
      existingStackCondition,
      `#deployments = :before AND ${unchangedConditionOf(targeted)}`,
    ),
    values: {
      ...toItem({
        current: openDeployments[0]?.deployment ?? deployment,
        after: JSON.stringify(openDeployments),
        number,
        token,
        no: false,
        before: number - 1,
        version,
        ...targetedValuesOf(targeted),
      }),
      ...formatAttributeOf('stack'),
    },
  }
  return insertDeployment(deps, input, { deployment, change })
}

async function writeClaim(
  { catalogTable }: CatalogDeps,
  deployment: DeploymentId,
  { claim, expected }: { readonly claim: BlobHash; readonly expected: ClaimBasis },
): Promise<boolean | undefined> {
  const { stack: id } = deploymentPartsOf(deployment)
  const stack = await requireStack(catalogTable, id)
  const { targeted = [], version } = stack
  const openDeployment = targeted.find(open => open.deployment === deployment)
  if (openDeployment?.claim === claim) return true
  if (openDeployment === undefined || !hasClaimBasis(stack, expected)) return false
  const { isDone } = await updateItem(catalogTable, {
    key: keys.stack(id),
    updateExpression: 'SET #targeted = :after',
    condition: joinConditions(existingStackCondition, unchangedConditionOf(targeted)),
    values: {
      ...toItem({
        after: JSON.stringify(withClaim(targeted, deployment, claim)),
        no: false,
        version,
        ...targetedValuesOf(targeted),
      }),
      ...formatAttributeOf('stack'),
    },
  })
  return isDone ? true : undefined
}

/**
 * Returns the condition that the version and the targeted deployments of a stack have not changed
 * since they were read.
 */
function unchangedConditionOf(targeted: readonly TargetedDeployment[]): string {
  return `#version = :version AND ${targetedConditionOf(targeted)}`
}

async function writePublication(
  { catalogTable, random }: CatalogDeps,
  input: {
    readonly id: StackId
    readonly expectedVersion: number
    readonly snapshot: BlobHash
    readonly publisher: DeploymentId | undefined
  },
): Promise<Awaited<ReturnType<StackTransitions['publish']>> | undefined> {
  const { id, expectedVersion, snapshot, publisher } = input
  const stack = await requireStack(catalogTable, id)
  const { version, snapshot: publishedSnapshot, targeted = [] } = stack
  const nextVersion = expectedVersion + 1
  if (version === nextVersion && publishedSnapshot === snapshot)
    return { kind: 'already-published', version }
  if (version !== expectedVersion) return { kind: 'conflict', version }
  const targetedAfter = withPublication(targeted, publisher, { version: nextVersion, snapshot })
  const isTargeted = targeted.some(({ deployment }) => deployment === publisher)
  const versionCondition = joinConditions(existingStackCondition, '#version = :expected')
  const change = {
    key: keys.stack(id),
    updateExpression: `SET #version = :next, #snapshot = :snapshot${isTargeted ? ', #targeted = :after' : ''}`,
    condition: isTargeted
      ? joinConditions(versionCondition, targetedConditionOf(targeted))
      : versionCondition,
    values: {
      ...toItem({ next: nextVersion, snapshot, expected: expectedVersion, no: false }),
      ...(isTargeted
        ? toItem({ after: JSON.stringify(targetedAfter), ...targetedValuesOf(targeted) })
        : {}),
      ...formatAttributeOf('stack'),
    },
  }
  const item = { ...toItem({ blob: snapshot }), ...formatAttributeOf('snapshot') }
  const { isDone } = await transact(catalogTable, random, [
    { kind: 'change', change },
    { kind: 'put', key: keys.version(id, nextVersion), item, ifAbsent: false },
  ])
  return isDone ? { kind: 'published', version: nextVersion } : undefined
}

/** Returns the record of an existing stack. Throws STACK_NOT_FOUND. */
async function requireStack(catalogTable: Table, id: StackId): Promise<StoredStack> {
  const stack = parseStackItem(id, await getItem(catalogTable, keys.stack(id)))
  if (stack === undefined) throw createError('STACK_NOT_FOUND', `the stack ${id} does not exist`)
  return stack
}
