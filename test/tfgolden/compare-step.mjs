/** The comparison of a step with its expectation. */
import { compareApplies, compareOrder, comparePlans } from './compare-applies.mjs'
import {
  addressOfResource,
  markedPathsOf,
  secretPathsOf,
  toPulumiOutputs,
} from './pulumi-values.mjs'
import { isSecretAt, listDifferences, listOutputDifferences } from './value-differences.mjs'

/** OpenTofu's actions in Pulumi's terms. Others, such as reads and moves, are no operations. */
const actionNames = {
  create: 'create',
  update: 'update',
  replace: 'replace',
  delete: 'delete',
  remove: 'delete',
  import: 'import',
}

/** Converts OpenTofu's actions to those of an engine. */
export const toEngineActions = actions =>
  Object.fromEntries(
    Object.entries(actions)
      .filter(([address, action]) => actionNames[action] && !/^data\.|deposed$/.test(address))
      .map(([address, action]) => [address, actionNames[action]]),
  )

/**
 * Lists the differences between the expectation of a step and an engine's run of it. `callComparison`
 * is the one of the case.
 */
export function compareStep({ step, expected, observed, schemaOf, callComparison, isTrial }) {
  const ignored = new Set(step.ignore)
  const hasStates = !step.kill && !ignored.has('state')
  const hasActions =
    expected.exit === 0 && observed.actions && step.op !== 'refresh' && !ignored.has('actions')
  return [
    ...compareExit(expected, observed),
    ...listDifferences(expected.cloud, observed.cloud, 'cloud'),
    ...compareApplies(step, expected, observed),
    ...comparePlans(expected, observed),
    ...compareOrder(expected, observed),
    ...callComparison.compare(step, expected, observed, { isTrial }),
    ...(hasStates ? compareStates(expected.state, observed.resources, schemaOf) : []),
    ...(hasActions
      ? listDifferences(toEngineActions(expected.actions), observed.actions, 'actions')
      : []),
  ]
}

function compareExit(expected, observed) {
  if (expected.exit === observed.exit && !observed.isLate) return []
  const detail = observed.message ? ` (${observed.message})` : ''
  return [
    `exit: want ${expected.exit}, got ${observed.isLate ? 'timeout' : observed.exit}${detail}`,
  ]
}

function compareStates(states, resources, schemaOf) {
  const entries = new Map(
    resources
      .filter(
        ({ type, custom, pendingReplacement }) =>
          /^tfgold5?:/.test(type) && custom && !pendingReplacement,
      )
      .map(resource => [
        `${addressOfResource(resource)}${resource.delete ? ' deposed' : ''}`,
        resource,
      ]),
  )
  const expectedEntries = Object.entries(states).filter(([key]) => !key.startsWith('data.'))
  return [
    ...expectedEntries.flatMap(([key, state]) =>
      entries.has(key)
        ? compareState({ key, state, resource: entries.get(key), schemaOf })
        : [`state: no ${key}`],
    ),
    ...[...entries.keys()]
      .filter(key => states[key] === undefined)
      .map(key => `state: unexpected ${key}`),
  ]
}

function compareState({ key, state, resource, schemaOf }) {
  const [resourceType] = key.split('.')
  const { version, block } = schemaOf(resourceType)
  const { initErrors = [], taint, outputs } = resource
  const isTaintLost = state.tainted && initErrors.length === 0 && !taint
  const taintDifferences = isTaintLost
    ? [`state: ${key} is tainted, the entry has neither initErrors nor taint`]
    : []
  // A state of another version has other attributes.
  if (state.schema_version !== version) return taintDifferences
  const secretPaths = [
    ...secretPathsOf(state.attributes, block),
    ...markedPathsOf(state.sensitive, state.attributes, block),
  ]
  return [
    ...taintDifferences,
    ...listOutputDifferences(
      toPulumiOutputs(state.attributes, block, resourceType),
      outputs,
      `state ${key}`,
    ),
    ...secretPaths
      .filter(path => !isSecretAt(outputs, path))
      .map(path => `state ${key}: ${path.join('.')} is not secret`),
  ]
}
