import { hasCode, messageOf } from '../../errors/error.ts'
import { ProviderError } from '../provider-error.ts'
import type { ResourceType, TerraformPackage } from '../terraform/driver/terraform-package.ts'
import type { PropertyName, ValueShape } from '../terraform/mapping/property-names.ts'
import { namesOf, type PropertyNames } from '../terraform/mapping/property-names.ts'
import type {
  AttributeFlags,
  AttributeSchema,
  BlockSchema,
  NestedBlockSchema,
  ObjectSchema,
} from '../terraform/values/schema.ts'
import type { CtyType } from '../terraform/values/type-system.ts'
import type {
  CheckedSchema,
  CheckedType,
  PropertySchema,
  PropertySchemas,
  PropertyType,
} from './checked-schema.ts'

/** Reads the resource types of a Terraform provider, with the names of Pulumi. */
export function readTerraformSchema(pkg: TerraformPackage): CheckedSchema {
  const flaws: string[] = []
  const types = new Map<string, CheckedType>()
  for (const token of pkg.tokens.resources.toTerraform.keys())
    try {
      const resource = pkg.findResource(token)
      types.set(token, readResourceType(token, resource))
    } catch (thrown) {
      if (!(thrown instanceof ProviderError) && !hasCode(thrown, 'TERRAFORM_PROVIDER_BUG'))
        throw thrown
      flaws.push(messageOf(thrown))
    }
  return { types, flaws, text: describeSchemas(pkg) }
}

function describeSchemas({ schemas }: TerraformPackage): string {
  const toEntries = (map: ReadonlyMap<string, unknown>): unknown =>
    [...map].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([
    schemas.provider,
    schemas.capabilities,
    toEntries(schemas.resources),
    toEntries(schemas.dataSources),
    toEntries(schemas.functions),
  ])
}

function readResourceType(token: string, { block, names }: ResourceType): CheckedType {
  const secretOutputs = [...block.attributes].flatMap(([tfName, { isSensitive, isWriteOnly }]) => {
    const name = names.toPulumi.get(tfName)?.name
    return isSensitive === true && isWriteOnly !== true && name !== undefined ? [name] : []
  })
  return { token, inputs: readBlock(block, names), secretOutputs }
}

function readBlock(block: BlockSchema, names: PropertyNames): PropertySchemas {
  const blocks = [...block.blocks].flatMap(([tfName, nested]) => {
    const property = names.toPulumi.get(tfName)
    return property === undefined ? [] : [readNestedBlock(nested, property)]
  })
  return new Map([...readAttributes(block.attributes, names), ...blocks])
}

function readAttributes(
  attributes: ObjectSchema['attributes'],
  names: PropertyNames,
): PropertySchemas {
  const inputs = [...attributes].filter(([, attribute]) => isInput(attribute))
  return new Map(
    inputs.flatMap(([tfName, attribute]): readonly (readonly [string, PropertySchema])[] => {
      const property = names.toPulumi.get(tfName)
      if (property === undefined) return []
      return [
        [
          property.name,
          {
            type: readAttribute(attribute, property.shape),
            isRequired: attribute.isRequired === true,
            isSecret: attribute.isSensitive === true,
            isWriteOnly: attribute.isWriteOnly === true,
          },
        ],
      ]
    }),
  )
}

function isInput({ isRequired, isOptional }: AttributeFlags): boolean {
  return isRequired === true || isOptional === true
}

function readAttribute(attribute: AttributeSchema, shape: ValueShape): PropertyType {
  if (attribute.kind === 'plain') return readType(attribute.type, shape)
  const { nested } = attribute
  const object: PropertyType = {
    kind: 'object',
    readProperties: () => readAttributes(nested.attributes, namesOf(nested)),
  }
  return nest(nested.nesting, object)
}

function readNestedBlock(
  { block, nesting, minItems }: NestedBlockSchema,
  { name, isFlattened }: PropertyName,
): readonly [string, PropertySchema] {
  const object: PropertyType = {
    kind: 'object',
    readProperties: () => readBlock(block, namesOf(block)),
  }
  return [
    name,
    {
      type: isFlattened ? object : nest(nesting, object),
      isRequired: minItems > 0,
      isSecret: false,
      isWriteOnly: false,
    },
  ]
}

function nest(nesting: NestedBlockSchema['nesting'], element: PropertyType): PropertyType {
  switch (nesting) {
    case 'single':
    case 'group':
      return element
    case 'list':
    case 'set':
      return { kind: 'list', element }
    case 'map':
      return { kind: 'map', element }
  }
}

const plainKinds = { string: 'string', number: 'number', bool: 'boolean', dynamic: 'any' } as const

function readType(type: CtyType, shape: ValueShape): PropertyType {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'bool':
    case 'dynamic':
      return { kind: plainKinds[type.kind] }
    case 'list':
    case 'set':
      return { kind: 'list', element: readType(type.element, elementOf(shape)) }
    case 'map':
      return { kind: 'map', element: readType(type.element, elementOf(shape)) }
    case 'tuple':
      return { kind: 'any' }
    case 'object': {
      const names = namesOf(type)
      return {
        kind: 'object',
        readProperties: () =>
          new Map(
            [...type.attributes].map(([tfName, inner]): readonly [string, PropertySchema] => {
              const property = names.toPulumi.get(tfName)
              return [
                property?.name ?? tfName,
                {
                  type: readType(inner, property?.shape ?? shape),
                  isRequired: true,
                  isSecret: false,
                  isWriteOnly: false,
                },
              ]
            }),
          ),
      }
    }
  }
}

function elementOf(shape: ValueShape): ValueShape {
  return 'element' in shape ? shape.element : shape
}
