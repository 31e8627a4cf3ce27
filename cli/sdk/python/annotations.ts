import { createError } from '../../../shared/errors/error.ts'
import type {
  ComplexTypeSpec,
  PropertySpec,
  TypeSpec,
} from '../../../shared/providers/package-schema/package-schema.ts'
import { parseReference, requireType } from '../package-members.ts'
import type { PythonPackage } from './python-package.ts'

/**
 * The use of a type. `input`: an input, which may be a `pulumi.Input`. `plain`: an input that must
 * be a plain value. `output`: an output.
 */
export type AnnotationUse = 'input' | 'plain' | 'output'

/** An object type of the schema for which an SDK needs a class. */
export interface RequestedClass {
  readonly use: AnnotationUse
  readonly module: string
  readonly name: string
  readonly spec: ComplexTypeSpec
}

/** Further settings of an annotation. `acceptsDicts`: whether dictionaries may replace objects. */
interface AnnotationOptions {
  readonly isRequired: boolean
  readonly acceptsDicts?: boolean
}

/** Formats types as annotations, and collects the object types in them. */
export interface Annotator {
  /** Returns the type of a value. */
  readonly format: (spec: TypeSpec, use: AnnotationUse) => string
  /** Returns the type of a property, which is optional unless it is required. */
  readonly formatProperty: (
    spec: PropertySpec,
    use: AnnotationUse,
    options: AnnotationOptions,
  ) => string
  /** Returns the classes that annotations have named since the last call, but never before. */
  readonly takeRequested: () => readonly RequestedClass[]
}

/** The annotation of any value, also of an output. */
const anyType = '_typing.Any'

/** Types of Pulumi itself. */
const pulumiTypes: ReadonlyMap<string, string> = new Map([
  ['pulumi.json#/Any', anyType],
  ['pulumi.json#/Json', anyType],
  ['pulumi.json#/Archive', 'pulumi.Archive'],
  ['pulumi.json#/Asset', '_typing.Union[pulumi.Asset, pulumi.Archive]'],
])

const primitiveTypes: ReadonlyMap<string, string> = new Map([
  ['string', '_builtins.str'],
  ['boolean', '_builtins.bool'],
  ['number', '_builtins.float'],
  ['integer', '_builtins.int'],
])

/** Returns the built-in type of a primitive type, or undefined for another type. */
export function findPrimitiveType(type: string | undefined): string | undefined {
  return primitiveTypes.get(type ?? '')
}

/**
 * Creates the annotator of a package. The annotator throws FEATURE_MISSING for a type of another
 * package, and PLUGIN_FAILED for a type that the schema does not have.
 */
export function createAnnotator(pythonPackage: PythonPackage): Annotator {
  const { schema, readMember, isBridged, functionTypes } = pythonPackage
  const requestedKeys = new Set<string>()
  let requested: RequestedClass[] = []

  function formatReference(reference: string, context: TypeContext): string {
    const pulumiType = pulumiTypes.get(reference)
    if (pulumiType !== undefined) return pulumiType
    const { kind, token } = parseReference(schema, reference)
    if (kind === 'provider') return '_root.Provider'
    const { module, name } = readMember(token)
    const path = module === '' ? '_root' : `_root.${module.replaceAll('/', '.')}`
    if (kind === 'resources') return `${path}.${name}`
    const spec = requireType(schema, token)
    if (spec.enum !== undefined)
      return hasEnumClass(spec)
        ? `${path}._enums.${name}`
        : (findPrimitiveType(spec.type) ?? anyType)
    const { use, acceptsDicts } = context
    const className = nameClass(token, name, use)
    const file = use === 'output' ? 'outputs' : '_inputs'
    const key = `${file} ${module} ${className}`
    // In SDKs of bridged providers, functions share the classes of inputs with resources.
    const classUse = isBridged && use === 'plain' ? 'input' : use
    if (!requestedKeys.has(key)) requested.push({ use: classUse, module, name: className, spec })
    requestedKeys.add(key)
    const text = `${path}.${file}.${className}`
    return acceptsDicts && use !== 'output' ? `_typing.Union[${text}, ${text}Dict]` : text
  }

  function findEnumType(reference: string): string | undefined {
    if (pulumiTypes.has(reference)) return undefined
    const { kind, token } = parseReference(schema, reference)
    const spec = kind === 'types' ? requireType(schema, token) : undefined
    return spec?.enum === undefined ? undefined : findPrimitiveType(spec.type)
  }

  function nameClass(token: string, name: string, use: AnnotationUse): string {
    if (use === 'input') return `${name}Args`
    if (!isBridged) return name
    if (use === 'plain') return `${name}Args`
    return functionTypes.has(token) ? `${name}Result` : name
  }

  const format = (spec: TypeSpec, use: AnnotationUse, acceptsDicts = false): string =>
    formatType(spec, { use, acceptsDicts, packageName: schema.name, formatReference, findEnumType })
  return {
    format,
    formatProperty(spec, use, { isRequired, acceptsDicts = false }) {
      const text = format(
        spec,
        use === 'input' && spec.plain === true ? 'plain' : use,
        acceptsDicts,
      )
      const type = isRequired ? text : `_typing.Optional[${text}]`
      return use === 'input' ? wrapInput(type, spec.plain) : type
    },
    takeRequested() {
      const taken = requested
      requested = []
      return taken
    },
  }
}

interface TypeContext {
  readonly use: AnnotationUse
  readonly acceptsDicts: boolean
  readonly packageName: string
  readonly formatReference: (reference: string, context: TypeContext) => string
  /** Returns the built-in type of the values of an enumeration, or undefined for other types. */
  readonly findEnumType: (reference: string) => string | undefined
}

/** Returns the type of an input. `_typing.Any` already includes outputs. */
function wrapInput(type: string, isPlain: boolean | undefined): string {
  const isAny = type === anyType || type === `_typing.Optional[${anyType}]`
  return isPlain === true || isAny ? type : `pulumi.Input[${type}]`
}

function formatType(spec: TypeSpec, context: TypeContext): string {
  if (spec.oneOf !== undefined) return formatUnion(spec.oneOf, context)
  if (spec.$ref !== undefined) return context.formatReference(spec.$ref, context)
  const primitive = findPrimitiveType(spec.type)
  if (primitive !== undefined) return primitive
  const formatElement = (element: TypeSpec): string => {
    const { use } = context
    if (use !== 'input') return formatType(element, context)
    const isPlain = element.plain === true
    return wrapInput(formatType(element, { ...context, use: isPlain ? 'plain' : use }), isPlain)
  }
  if (spec.type === 'array')
    return `_typing.Sequence[${formatElement(spec.items ?? { $ref: 'pulumi.json#/Any' })}]`
  if (spec.type === 'object')
    return `_typing.Mapping[_builtins.str, ${formatElement(spec.additionalProperties ?? { type: 'string' })}]`
  throw createError(
    'PLUGIN_FAILED',
    `the schema of '${context.packageName}' has a property of the unknown type '${spec.type}'`,
  )
}

/**
 * Returns the type of a union. An output of several types is `_typing.Any`, because no class fits
 * all choices. If all choices have one built-in type, the output has that type. An example is an
 * enumeration that also accepts other texts.
 */
function formatUnion(choices: readonly TypeSpec[], context: TypeContext): string {
  const { use, findEnumType } = context
  if (use === 'output') {
    const primitives = choices.map(({ type, $ref }) =>
      $ref === undefined ? findPrimitiveType(type) : findEnumType($ref),
    )
    const [first, ...others] = new Set(primitives)
    return first === undefined || others.length > 0 ? anyType : first
  }
  const types = [...new Set(choices.map(choice => formatType(choice, context)))]
  return types.length === 1 ? (types[0] ?? anyType) : `_typing.Union[${types.join(', ')}]`
}

/** Reports whether an enumeration has a class. Python has no enumerations of booleans. */
export function hasEnumClass({ enum: values, type }: ComplexTypeSpec): boolean {
  return values !== undefined && ['string', 'integer', 'number'].includes(type ?? '')
}
