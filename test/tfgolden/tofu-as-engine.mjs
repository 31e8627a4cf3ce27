/** OpenTofu's own run in the form of an engine's run, so that the comparison can be checked. */
import { isObject } from './lossless-values.mjs'
import { toEngineActions } from './compare-step.mjs'
import { markedPathsOf, secretPathsOf, toPulumiOutputs, tokenOf } from './pulumi-values.mjs'
import { isSecretAt, wrapSecret } from './value-differences.mjs'

/** Converts the expectation and the calls of OpenTofu's run. */
export function toEngineRun({ expectation, calls }, schemaOf) {
  const resources = Object.entries(expectation.state)
    .filter(([key]) => !key.startsWith('data.'))
    .map(([key, state]) => toResource(key, state, schemaOf))
  return {
    exit: expectation.exit,
    isLate: expectation.timeout === true,
    message: '',
    actions: toEngineActions(expectation.actions),
    calls,
    cloud: expectation.cloud,
    resources,
  }
}

function toResource(key, state, schemaOf) {
  const [resourceType, name] = key.replace(' deposed', '').split('.')
  const { block } = schemaOf(resourceType)
  const type = tokenOf(resourceType)
  const exactOutputs = toPulumiOutputs(state.attributes, block, resourceType)
  const outputs = JSON.parse(JSON.stringify(exactOutputs), (_key, value) =>
    isObject(value) && '$num' in value ? Number(value.$num) : value,
  )
  for (const path of [
    ...secretPathsOf(state.attributes, block),
    ...markedPathsOf(state.sensitive, state.attributes, block),
  ]) {
    if (isSecretAt(outputs, path)) continue
    const parent = path.slice(0, -1).reduce((part, step) => part[step], outputs)
    const last = path.at(-1)
    parent[last] = wrapSecret(parent[last])
  }
  return {
    type,
    custom: true,
    urn: `::::${type}::${name}`,
    delete: key.endsWith('deposed'),
    outputs,
    initErrors: state.tainted ? [''] : [],
  }
}
