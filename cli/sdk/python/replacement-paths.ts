import type {
  PackageSchema,
  PropertySpec,
  TypeSpec,
} from '../../../shared/providers/package-schema/package-schema.ts'
import { parseReference } from '../package-members.ts'

/**
 * Returns the paths of the properties whose change replaces a resource, such as `rules[*].key`.
 * `enclosingTypes`: the tokens of the types around the properties. A path does not enter a type
 * again within that type.
 */
export function findReplacementPaths(
  schema: PackageSchema,
  properties: Readonly<Record<string, PropertySpec>> = {},
  enclosingTypes: readonly string[] = [],
): readonly string[] {
  return Object.entries(properties).flatMap(([name, spec]) => {
    const path = `${name}${formatElements(spec)}`
    if (spec.replaceOnChanges === true) return [path]
    const token = findObjectType(schema, spec)
    if (token === undefined || enclosingTypes.includes(token)) return []
    const nestedProperties = schema.types?.[token]?.properties
    return findReplacementPaths(schema, nestedProperties, [...enclosingTypes, token]).map(
      nested => `${path}.${nested}`,
    )
  })
}

function formatElements(spec: TypeSpec): string {
  if (spec.items !== undefined) return '[*]'
  return spec.additionalProperties === undefined ? '' : '.*'
}

function findObjectType(schema: PackageSchema, spec: TypeSpec): string | undefined {
  const element = spec.items ?? spec.additionalProperties
  if (element !== undefined) return findObjectType(schema, element)
  if (spec.$ref?.startsWith('#/types/') !== true) return undefined
  return parseReference(schema, spec.$ref).token
}
