import { type PropertyMap, type PropertyValue, isSpecial } from '../../../values/value.ts'
import { parseCtyNumber } from '../values/cty-number.ts'
import {
  type LosslessJson,
  isLosslessArray,
  isLosslessObject,
  parseLosslessJson,
} from '../values/lossless-json.ts'
import type { BlockSchema } from '../values/schema.ts'
import type { PropertyNames } from './property-names.ts'
import { toPropertyNumber } from './property-number.ts'
import { type TerraformInputs, mapWrapped, toTerraformInputs } from './rename-inputs.ts'

/** Inputs that every provider has in Pulumi, and that are not configuration. */
const packageInputs = new Set(['version', 'pluginDownloadURL'])

/**
 * Returns the configuration of a provider with the names of Terraform. Pulumi passes properties
 * other than strings as JSON texts, which are parsed. Text that is not JSON stays unchanged.
 */
export function readProviderConfig(
  block: BlockSchema,
  names: PropertyNames,
  inputs: PropertyMap,
): TerraformInputs {
  const decodedInputs = [...inputs].flatMap(([name, value]) => {
    const tfName = names.toTerraform.get(name)
    if (tfName === undefined) return packageInputs.has(name) ? [] : [[name, value] as const]
    const attribute = block.attributes.get(tfName)
    const isText = attribute?.kind === 'plain' && attribute.type.kind === 'string'
    return [[name, isText ? value : parseJsonInput(value)] as const]
  })
  return toTerraformInputs(names, new Map(decodedInputs))
}

function parseJsonInput(value: PropertyValue): PropertyValue {
  if (isSpecial(value)) return mapWrapped(value, parseJsonInput)
  const json = typeof value === 'string' ? parseLosslessJson(value) : undefined
  return json === undefined ? value : toPropertyValue(json)
}

function toPropertyValue(json: LosslessJson): PropertyValue {
  if (json === null || typeof json === 'boolean' || typeof json === 'string') return json
  if (isLosslessArray(json)) return json.map(toPropertyValue)
  if (isLosslessObject(json))
    return new Map([...json].map(([key, item]) => [key, toPropertyValue(item)]))
  const number = parseCtyNumber(json.source)
  return number === undefined ? json.source : toPropertyNumber(number)
}
