import { hasCode } from '../../../errors/error.ts'
import type { StoredValue } from '../../terraform/client/terraform-client.ts'
import type { ResourceType } from '../../terraform/driver/terraform-package.ts'
import { decodeValue } from '../../terraform/driver/wire-values.ts'
import { normalizeBlocks } from '../../terraform/plan/normalize-blocks.ts'
import { findWriteOnlyPaths } from '../../terraform/plan/write-only.ts'
import { formatPlace } from '../../terraform/values/cty-path.ts'
import type { CtyValue } from '../../terraform/values/cty-value.ts'
import { areEqualRaw } from '../../terraform/values/raw-equality.ts'
import { decodeState, hasErrors } from './decoded-calls.ts'
import type { CoreCheckSubject } from './recorded-calls.ts'

/**
 * Finds responses of reads and upgrades whose state does not fit the type of the resource, or has
 * values of write-only attributes.
 */
export function findStateFlaws({ resource, calls }: CoreCheckSubject): readonly string[] {
  const responses = [
    ...calls.reads.map(({ response }) => ({ response, state: response.newState })),
    ...calls.upgrades.map(({ response }) => ({ response, state: response.upgradedState })),
  ]
  return responses.flatMap(({ response, state }) => {
    if (hasErrors(response)) return []
    const decoded = decodeState(resource, state)
    if ('flaw' in decoded) return [decoded.flaw]
    return findWriteOnlyPaths(resource.block, decoded.value).map(
      path => `a write-only attribute has a value${formatPlace(path)}`,
    )
  })
}

/** Finds upgrades that change a state of the current version. */
export function findUpgradeFlaws({ resource, calls }: CoreCheckSubject): readonly string[] {
  return calls.upgrades.flatMap(({ request, response }) => {
    if (request.version !== resource.version || hasErrors(response)) return []
    const before = decodeStoredState(resource, request.stored)
    const after = decodeState(resource, response.upgradedState)
    if (before === undefined || 'flaw' in after) return []
    const isEqual = areEqualRaw(before, normalizeBlocks(resource.block, after.value))
    return isEqual ? [] : ['an upgrade from the current version changes the state']
  })
}

function decodeStoredState(
  { type, block }: ResourceType,
  stored: StoredValue,
): CtyValue | undefined {
  if (!('json' in stored)) return undefined
  try {
    return normalizeBlocks(block, decodeValue(stored, type))
  } catch (thrown) {
    if (!hasCode(thrown, 'TERRAFORM_PROVIDER_BUG')) throw thrown
    return undefined
  }
}
