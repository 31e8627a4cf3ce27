import type {
  ComplexTypeSpec,
  ObjectSpec,
  PropertySpec,
  TypeSpec,
} from '../../package-schema/package-schema.ts'
import type { AttributeSchema, NestedBlockSchema } from '../values/schema.ts'
import type { CtyType } from '../values/type-system.ts'
import { capitalize } from './camel-case.ts'
import {
  type AnyObjectSchema,
  propertyNamesOf,
  type PropertyName,
  type PropertyNames,
} from './property-names.ts'
import { singularize } from './singular.ts'

/** A property of an object, and the roles that it has. */
export interface DescribedProperty {
  readonly tfName: string
  readonly spec: PropertySpec
  readonly isInput: boolean
  readonly isRequiredInput: boolean
  /** Whether the property is in all outputs of the object. */
  readonly isRequiredOutput: boolean
}

/** The named types of a package, which grow while properties are described. */
export interface TypeDeclarations {
  readonly types: ReadonlyMap<string, ComplexTypeSpec>
  /**
   * Returns the type of a value of Terraform. Objects in it get the name `typeName`, or a name that
   * is derived from it.
   */
  readonly describeType: (type: CtyType, typeName: string) => TypeSpec
  /** Declares the type of an object that programs set. Returns a reference to the type. */
  readonly declareInput: (object: AnyObjectSchema, typeName: string) => TypeSpec
  /** Declares a type that Terraform does not describe. Returns a reference to the type. */
  readonly declareType: (typeName: string, type: ComplexTypeSpec) => TypeSpec
  /**
   * Returns the properties of an object by their names in Pulumi. The names of the types in it
   * begin with `owner`. `names` replaces the usual names of the properties.
   */
  readonly describeProperties: (
    object: AnyObjectSchema,
    owner: string,
    names?: PropertyNames,
  ) => ReadonlyMap<string, DescribedProperty>
}

/** The type of values of any kind. */
const anyType: TypeSpec = { $ref: 'pulumi.json#/Any' }

/**
 * Declares the type of an object. With `isInput`, its required properties are those that inputs
 * must have. Without `isInput`, they are those that outputs always have.
 */
type DeclareObject = (object: AnyObjectSchema, typeName: string, isInput: boolean) => TypeSpec

/**
 * Creates the type declarations of a package, which are empty at first. Further types of one name
 * get the suffixes `V2`, `V3`, …
 */
export function createTypeDeclarations(packageName: string): TypeDeclarations {
  const types = new Map<string, ComplexTypeSpec>()
  const usedNames = new Set<string>()
  const reserveName = (typeName: string): string => {
    let unique = typeName
    for (let number = 2; usedNames.has(unique); number += 1) unique = `${typeName}V${number}`
    usedNames.add(unique)
    return unique
  }
  const setType = (name: string, type: ComplexTypeSpec): TypeSpec => {
    const token = `${packageName}:index/${name}:${name}`
    types.set(token, type)
    return { $ref: `#/types/${token}` }
  }
  const declare: DeclareObject = (object, typeName, isInput) => {
    const name = reserveName(typeName)
    return setType(name, createNestedObjectSpec(describeProperties(object, name), isInput))
  }
  const describeProperties: TypeDeclarations['describeProperties'] = (
    object,
    owner,
    names = propertyNamesOf(object),
  ) =>
    new Map(
      [...names.toPulumi].map(([tfName, property]): readonly [string, DescribedProperty] => {
        const typeName = owner + capitalize(elementNameOf(property))
        const described = describeProperty(object, tfName, { declare, typeName })
        return [property.name, { tfName, ...described }]
      }),
    )
  return {
    types,
    describeProperties,
    describeType: (type, typeName) => describeType(type, { declare, typeName }, true),
    declareInput: (object, typeName) => declare(object, typeName, true),
    declareType: (typeName, type) => setType(reserveName(typeName), type),
  }
}

/** The function that declares object types, and the name for the next one. */
interface TypePlace {
  readonly declare: DeclareObject
  readonly typeName: string
}

function describeType(type: CtyType, place: TypePlace, isInput: boolean): TypeSpec {
  switch (type.kind) {
    case 'string':
      return { type: 'string' }
    case 'number':
      return { type: 'number' }
    case 'bool':
      return { type: 'boolean' }
    case 'list':
    case 'set':
      return { type: 'array', items: describeType(type.element, place, isInput) }
    case 'map':
      return { type: 'object', additionalProperties: describeType(type.element, place, isInput) }
    case 'tuple':
      return { type: 'array', items: anyType }
    case 'object':
      return place.declare(type, place.typeName, isInput)
    case 'dynamic':
      return anyType
  }
}

function describeProperty(
  object: AnyObjectSchema,
  tfName: string,
  place: TypePlace,
): Omit<DescribedProperty, 'tfName'> {
  if ('kind' in object) {
    const type = object.attributes.get(tfName)
    const spec = type === undefined ? anyType : describeType(type, place, true)
    return { spec, isInput: true, isRequiredInput: false, isRequiredOutput: false }
  }
  const attribute = object.attributes.get(tfName)
  if (attribute !== undefined)
    return {
      spec: { ...describeAttribute(attribute, place), ...describeFlags(attribute) },
      isInput: isConfigurable(attribute),
      isRequiredInput: attribute.isRequired === true,
      isRequiredOutput: attribute.isRequired === true || attribute.isComputed === true,
    }
  const nested = 'blocks' in object ? object.blocks.get(tfName) : undefined
  const isRequired = nested !== undefined && nested.minItems > 0
  return {
    spec: nested === undefined ? anyType : describeBlock(nested, place),
    isInput: true,
    isRequiredInput: isRequired,
    isRequiredOutput: isRequired,
  }
}

function describeAttribute(attribute: AttributeSchema, place: TypePlace): TypeSpec {
  const isInput = isConfigurable(attribute)
  if (attribute.kind === 'plain') return describeType(attribute.type, place, isInput)
  const { nested } = attribute
  return wrapInNesting(nested.nesting, place.declare(nested, place.typeName, isInput))
}

function describeBlock(nested: NestedBlockSchema, { declare, typeName }: TypePlace): PropertySpec {
  const { block, nesting, maxItems } = nested
  const isFlattened = (nesting === 'list' || nesting === 'set') && maxItems === 1
  const element = declare(block, typeName, true)
  return { ...wrapInNesting(isFlattened ? 'single' : nesting, element), ...describeFlags(block) }
}

/** Returns the specification of an object with these properties, in the order of their names. */
export function createObjectSpec(
  properties: ReadonlyMap<string, DescribedProperty>,
  isRequired: (property: DescribedProperty) => boolean,
): ObjectSpec {
  const sorted = [...properties].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const required = sorted.flatMap(([name, property]) => (isRequired(property) ? [name] : []))
  return {
    properties: Object.fromEntries(sorted.map(([name, { spec }]) => [name, spec])),
    type: 'object',
    ...(required.length > 0 && { required }),
  }
}

/**
 * Returns the specification of a nested object. In Node, inputs and outputs of one type can require
 * different properties.
 */
function createNestedObjectSpec(
  properties: ReadonlyMap<string, DescribedProperty>,
  isInput: boolean,
): ComplexTypeSpec {
  const inputs = createObjectSpec(properties, property => property.isRequiredInput)
  const outputs = createObjectSpec(properties, property => property.isRequiredOutput)
  const requiredInputs = inputs.required ?? []
  const requiredOutputs = outputs.required ?? []
  if (requiredInputs.join() === requiredOutputs.join()) return inputs
  return isInput
    ? { ...inputs, language: { nodejs: { requiredOutputs } } }
    : { ...outputs, language: { nodejs: { requiredInputs } } }
}

/** Returns the name of one element: a list `rules` has the type of a `rule`. */
function elementNameOf({ name, shape, isFlattened }: PropertyName): string {
  return !isFlattened && (shape.kind === 'list' || shape.kind === 'set') ? singularize(name) : name
}

/** Reports whether programs may set an attribute. */
function isConfigurable({ isRequired, isOptional }: AttributeSchema): boolean {
  return isRequired === true || isOptional === true
}

function describeFlags(flags: {
  readonly description?: string
  readonly isDeprecated?: boolean
  readonly deprecationMessage?: string
  readonly isSensitive?: boolean
}): Pick<PropertySpec, 'description' | 'deprecationMessage' | 'secret'> {
  const deprecation = describeDeprecation(flags)
  return {
    ...(flags.description !== undefined && { description: flags.description }),
    ...(deprecation !== undefined && { deprecationMessage: deprecation }),
    ...(flags.isSensitive === true && { secret: true }),
  }
}

/** Returns the reason of a deprecation, or undefined for a part that is not deprecated. */
export function describeDeprecation(flags: {
  readonly isDeprecated?: boolean
  readonly deprecationMessage?: string
}): string | undefined {
  return flags.deprecationMessage ?? (flags.isDeprecated === true ? 'Deprecated' : undefined)
}

function wrapInNesting(nesting: NestedBlockSchema['nesting'], element: TypeSpec): TypeSpec {
  switch (nesting) {
    case 'single':
    case 'group':
      return element
    case 'list':
    case 'set':
      return { type: 'array', items: element }
    case 'map':
      return { type: 'object', additionalProperties: element }
  }
}
