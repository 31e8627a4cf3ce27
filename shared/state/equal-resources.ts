import { areEqualMaps, areEqualValues } from '../values/equal.ts'
import type { ResourceState } from './resource.ts'

/**
 * Reports whether two states are equal in all stored fields except aliases, source positions and
 * stack traces. The order of hooks counts, and that of dependencies does not. The generator records
 * only a state that is not equal to the old one. Pulumi compares fewer fields
 * (`pkg/backend/snapshot.go`, `mustWrite`, v3.274.1). Here a newly set option is recorded too,
 * because later deployments need it. For example, they compare the replacement trigger of the
 * program with the recorded one.
 */
export function areEqualResources(a: ResourceState, b: ResourceState): boolean {
  if (a === b) return true
  for (const field of plainFields) if (a[field] !== b[field]) return false
  for (const field of listFields) if (!areEqualLists(a[field], b[field])) return false
  for (const field of setFields) if (!areEqualSets(a[field], b[field])) return false
  return (
    areEqualTimeouts(a, b) &&
    areEqualListMaps(a.propertyDependencies, b.propertyDependencies, areEqualSets) &&
    areEqualListMaps(a.resourceHooks, b.resourceHooks, areEqualLists) &&
    areEqualValues(a.replacementTrigger, b.replacementTrigger) &&
    areEqualMaps(a.inputs, b.inputs) &&
    areEqualMaps(a.outputs, b.outputs)
  )
}

const plainFields = [
  'urn',
  'custom',
  'delete',
  'id',
  'type',
  'parent',
  'protect',
  'taint',
  'external',
  'provider',
  'pendingReplacement',
  'importID',
  'retainOnDelete',
  'deletedWith',
  'created',
  'modified',
  'refreshBeforeUpdate',
  'viewOf',
  'extensionRef',
  'snippetID',
] as const satisfies readonly (keyof ResourceState)[]

const listFields = [
  'initErrors',
  'additionalSecretOutputs',
  'replaceWith',
  'ignoreChanges',
  'hideDiff',
  'replaceOnChanges',
] as const satisfies readonly (keyof ResourceState)[]

const setFields = ['dependencies'] as const satisfies readonly (keyof ResourceState)[]

function areEqualLists(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

function areEqualSets(a: readonly string[], b: readonly string[]): boolean {
  return areEqualLists([...a].sort(), [...b].sort())
}

function areEqualListMaps(
  a: ReadonlyMap<string, readonly string[]>,
  b: ReadonlyMap<string, readonly string[]>,
  areEqual: (a: readonly string[], b: readonly string[]) => boolean,
): boolean {
  if (a.size !== b.size) return false
  for (const [key, list] of a) {
    const other = b.get(key)
    if (other === undefined || !areEqual(list, other)) return false
  }
  return true
}

function areEqualTimeouts(a: ResourceState, b: ResourceState): boolean {
  const { customTimeouts: timeoutsOfA } = a
  const { customTimeouts: timeoutsOfB } = b
  return (
    timeoutsOfA.create === timeoutsOfB.create &&
    timeoutsOfA.update === timeoutsOfB.update &&
    timeoutsOfA.delete === timeoutsOfB.delete &&
    timeoutsOfA.read === timeoutsOfB.read
  )
}
