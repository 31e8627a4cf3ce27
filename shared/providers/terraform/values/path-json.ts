import { formatGoJson } from '../../../values/go-json.ts'
import {
  type CtyPath,
  type CtyStep,
  createAttributeStep,
  createIndexStep,
  createKeyStep,
} from './cty-path.ts'
import { type LosslessJson, isLosslessArray, isLosslessObject } from './lossless-json.ts'

/**
 * Reads a path of a Terraform state, such as one of its `sensitive_attributes`. A path into a set
 * ends at the set. Returns undefined for other JSON.
 */
export function readPathJson(json: LosslessJson): CtyPath | undefined {
  if (!isLosslessArray(json)) return undefined
  const path: CtyStep[] = []
  for (const item of json) {
    const value = isLosslessObject(item) ? item.get('value') : undefined
    if (!isLosslessObject(item) || value === undefined) return undefined
    const type = item.get('type')
    if (type === 'get_attr' && typeof value === 'string') path.push(createAttributeStep(value))
    else if (type !== 'index' || !isLosslessObject(value)) return undefined
    else {
      const step = readIndex(value.get('value'))
      if (step === undefined) break
      path.push(step)
    }
  }
  return path
}

/** Returns the step to a key or index, or undefined for an element of a set. */
function readIndex(key: LosslessJson | undefined): CtyStep | undefined {
  if (typeof key === 'string') return createKeyStep(key)
  const isNumber = typeof key === 'object' && key !== null && 'source' in key
  return isNumber ? createIndexStep(Number(key.source)) : undefined
}

/** Returns the JSON of a path, as in Terraform's states. A path into a set ends at the set. */
export function formatPathJson(path: CtyPath): string {
  const end = path.findIndex(({ kind }) => kind === 'element')
  return `[${(end < 0 ? path : path.slice(0, end)).map(formatStepJson).join(',')}]`
}

function formatStepJson(step: CtyStep): string {
  switch (step.kind) {
    case 'attribute':
      return `{"type":"get_attr","value":${formatGoJson(step.name)}}`
    case 'key':
      return `{"type":"index","value":{"value":${formatGoJson(step.key)},"type":"string"}}`
    case 'index':
    case 'element':
      return `{"type":"index","value":{"value":${step.kind === 'index' ? step.index : step.position},"type":"number"}}`
  }
}
