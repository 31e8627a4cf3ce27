import { type DiffResult, noDiff, type Provider } from '../../provider.ts'
import { toPropertyPath } from '../mapping/property-paths.ts'
import type { CtyPath } from '../values/cty-path.ts'
import { areEqualSensitivePaths } from '../values/sensitive-paths.ts'
import { createDetailedDiff } from './detailed-diff.ts'
import { sensitivePathsOf, toRecordedOutputs } from './object-outputs.ts'
import { planChange } from './plan-change.ts'
import { readPriorObject } from './prior-object.ts'
import { readIgnoredChanges, requireObjectConfig } from './resource-config.ts'
import type { ResourceType } from './terraform-package.ts'
import type { TerraformSession } from './terraform-session.ts'

/** The key by which Pulumi's bridge, too, reports a replacement without a changed property. */
const metaKey = '__meta'

/**
 * Returns the difference between an object and its configuration, by a plan of the provider. A
 * tainted object is replaced. If the provider is not configured, the result is a difference without
 * details. Throws ProviderError.
 */
export async function diffObject(
  session: TerraformSession,
  request: Parameters<Provider['diff']>[0],
): Promise<DiffResult> {
  const { urn, type: token, oldOutputs, newInputs, ignoreChanges } = request
  await session.waitUntilConfigured()
  if (session.isUnconfigured()) return { ...noDiff, changes: 'some' }
  const resource = session.pkg.requireResource(token)
  const config = requireObjectConfig(resource, urn, newInputs)
  const prior = await readPriorObject(session, resource, { urn, outputs: oldOutputs })
  const plan = await planChange(session, resource, {
    urn,
    prior,
    config: config.value,
    ...readIgnoredChanges(resource, ignoreChanges, [prior.value, config.value]),
  })
  session.initialPlans.record(urn, { ...plan, config: config.value })
  if (plan.action === 'none') {
    const sensitivePaths = sensitivePathsOf(resource, prior.value, config.sensitivePaths)
    const unchanged = { ...noDiff, stableKeys: ['id'] }
    if (prior.isOutdated) {
      const object = { ...prior, sensitivePaths }
      return { ...unchanged, upgradedOutputs: toRecordedOutputs(resource, object) }
    }
    return areEqualSensitivePaths(prior.sensitivePaths, sensitivePaths)
      ? unchanged
      : diffSensitivePaths(resource, prior.sensitivePaths, sensitivePaths)
  }
  const isReplaced = plan.action === 'replace'
  const detailedDiff = new Map(
    createDetailedDiff(resource, { prior: prior.value, planned: plan.planned }, plan.replacePaths),
  )
  const replaceKeys = new Set(
    isReplaced ? plan.replacePaths.map(path => topKeyOf(resource, path)) : [],
  )
  const hasReplaceDiff = [...detailedDiff.values()].some(({ kind }) => kind.endsWith('-replace'))
  if (isReplaced && !hasReplaceDiff) {
    detailedDiff.set(metaKey, { kind: 'update-replace', inputDiff: false })
    if (replaceKeys.size === 0) replaceKeys.add(metaKey)
  }
  return {
    changes: 'some',
    replaceKeys: [...replaceKeys],
    stableKeys: isReplaced ? [] : ['id'],
    changedKeys: [...new Set([...detailedDiff.keys()].map(topKeyOfProperty))],
    detailedDiff,
    deleteBeforeReplace: false,
  }
}

/**
 * Returns the diff of an object whose values stay the same, but whose secret parts are at other
 * paths than before. The update then applies nothing.
 */
function diffSensitivePaths(
  resource: ResourceType,
  priorPaths: readonly CtyPath[],
  plannedPaths: readonly CtyPath[],
): DiffResult {
  const includesPath = (paths: readonly CtyPath[], path: CtyPath): boolean =>
    paths.some(candidate => areEqualSensitivePaths([candidate], [path]))
  const changedPaths = [...priorPaths, ...plannedPaths].filter(
    path => !(includesPath(priorPaths, path) && includesPath(plannedPaths, path)),
  )
  const keys = new Set(changedPaths.map(path => topKeyOf(resource, path)))
  return { ...noDiff, changes: 'some', stableKeys: ['id'], changedKeys: [...keys] }
}

function topKeyOf({ names }: ResourceType, path: CtyPath): string {
  return toPropertyPath(names, path.slice(0, 1))
}

function topKeyOfProperty(path: string): string {
  return /^[^.[]+/.exec(path)?.[0] ?? path
}
