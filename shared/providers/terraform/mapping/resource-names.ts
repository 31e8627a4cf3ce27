import { assert } from '../../../errors/error.ts'
import type { AttributeSchema, BlockSchema } from '../values/schema.ts'
import { toCamelCase } from './camel-case.ts'
import {
  type PropertyName,
  type PropertyNames,
  createPropertyNames,
  propertyNamesOf,
} from './property-names.ts'

/** The names of a resource's properties, and the source of its id. */
export interface ResourceNames extends PropertyNames {
  readonly idSource: IdSource
}

/**
 * The source of a resource's id in Pulumi: the computed attribute `id`, the renamed input `id`, or
 * none. All resources of the kind `none` have the id `missingResourceId`.
 */
export type IdSource =
  | { readonly kind: 'computed' }
  | { readonly kind: 'property'; readonly tfName: 'id' }
  | { readonly kind: 'none' }

/** The id of resources without a source of an id, or whose source has no value. */
export const missingResourceId = 'missing ID'

/** The names from which the replacements of reserved names are built. */
export interface ResourceContext {
  /** The name in Terraform, such as `random_pet`. */
  readonly typeName: string
  readonly providerName: string
  /** The common prefix of the names of resource types, without underscore. */
  readonly prefix: string
}

/**
 * Returns the names of a resource's properties. Pulumi reserves `id`, `urn` and `pulumi` in
 * resources, so attributes with these names get other names. Only a computed `id` keeps its name,
 * because it is the source of the id.
 */
export function nameResourceProperties(
  block: BlockSchema,
  { typeName, providerName, prefix }: ResourceContext,
): ResourceNames {
  const names = propertyNamesOf(block)
  const provider = providerName.replaceAll('-', '_')
  const resource = stripResourcePrefix(typeName, prefix)
  const idNames = [
    ...[`${resource}_id`, `${provider}_${resource}_id`, 'resource_id', `${provider}_id`],
    'resource_id_',
  ]
  const replacements: ReadonlyMap<string, readonly string[]> = new Map([
    ['id', idNames],
    ['urn', [`${provider}_urn`, 'resource_urn', 'resource_urn_']],
    ['pulumi', ['pulumi_info', 'resource_pulumi', 'resource_pulumi_']],
  ])
  const idSource = findIdSource(block)
  const rename = (tfName: string, property: PropertyName): PropertyName => {
    const candidates = replacements.get(tfName)
    if (candidates === undefined || (tfName === 'id' && idSource.kind === 'computed'))
      return property
    const freeName = candidates.find(candidate => !names.toPulumi.has(candidate))
    assert(freeName !== undefined, `a reserved property of ${typeName} has no free name`)
    return { ...property, name: toCamelCase(freeName) }
  }
  const renamed = [...names.toPulumi].map(
    ([tfName, property]) => [tfName, rename(tfName, property)] as const,
  )
  return { ...createPropertyNames(renamed), idSource }
}

/** Returns a type name without its prefix. A name that equals the prefix stays unchanged. */
export function stripResourcePrefix(typeName: string, prefix: string): string {
  const isPrefixed = typeName.startsWith(`${prefix}_`) || typeName === prefix
  const remainder = isPrefixed ? typeName.slice(prefix.length).replace(/^_+/, '') : ''
  return remainder === '' ? typeName : remainder
}

function findIdSource(block: BlockSchema): IdSource {
  const attribute = block.attributes.get('id')
  if (attribute === undefined) return { kind: 'none' }
  const { isRequired, isOptional, isComputed } = attribute
  if (isRequired || (isOptional && isComputed)) return { kind: 'property', tfName: 'id' }
  return isComputed && !isOptional && isString(attribute) ? { kind: 'computed' } : { kind: 'none' }
}

function isString(attribute: AttributeSchema): boolean {
  return attribute.kind === 'plain' && attribute.type.kind === 'string'
}
