import { createError } from '../../../shared/errors/error.ts'
import type {
  ComplexTypeSpec,
  PackageSchema,
  TypeSpec,
} from '../../../shared/providers/package-schema/package-schema.ts'
import {
  findUsedTypes,
  hasBridgedNames,
  parseReference,
  requireType,
  toTitle,
} from '../package-members.ts'
import { toNamespace } from './module-names.ts'
import { createNodeMemberReader, readNodeSettings } from './node-settings.ts'

/**
 * The use of a type. `input`: an input, which may be a `pulumi.Input`. `plain`: an input that must
 * be a plain value. `output`: an output.
 */
export type TypeUse = 'input' | 'plain' | 'output'

/** A type of the schema that an SDK needs in one use. */
export interface RequestedType {
  readonly use: TypeUse
  readonly module: string
  readonly name: string
  readonly spec: ComplexTypeSpec
}

/** Formats types as TypeScript, and collects the named types in them. */
export interface TypeFormatter {
  readonly format: (spec: TypeSpec, use: TypeUse) => string
  /** Returns the types that `format` has named since the last call, but never before. */
  readonly takeRequested: () => readonly RequestedType[]
}

/** Types of Pulumi itself. */
const pulumiTypes: ReadonlyMap<string, string> = new Map([
  ['pulumi.json#/Any', 'any'],
  ['pulumi.json#/Json', 'any'],
  ['pulumi.json#/Archive', 'pulumi.asset.Archive'],
  ['pulumi.json#/Asset', 'pulumi.asset.Asset | pulumi.asset.Archive'],
])

/**
 * Creates the formatter of a package. The formatter throws FEATURE_MISSING for a type of another
 * package, and PLUGIN_FAILED for a type that the schema does not have.
 */
export function createTypeFormatter(schema: PackageSchema): TypeFormatter {
  const readMember = createNodeMemberReader(schema)
  const functionTypes = findFunctionTypes(schema)
  const { compatibility = '', disableUnionOutputTypes = false } = readNodeSettings(schema)
  const isBridged = hasBridgedNames(compatibility)
  const requestedKeys = new Set<string>()
  let requested: RequestedType[] = []

  function formatReference(reference: string, use: TypeUse): string {
    const pulumiType = pulumiTypes.get(reference)
    if (pulumiType !== undefined) return pulumiType
    const { kind, token } = parseReference(schema, reference)
    if (kind === 'provider') return 'self.Provider'
    const { module, name } = readMember(token)
    const namespace = module === '' ? '' : `${toNamespace(module)}.`
    if (kind === 'resources') return `self.${namespace}${toTitle(name)}`
    const spec = requireType(schema, token)
    if (spec.enum !== undefined) return formatEnum(spec)
    const typeName = nameType(token, name, use)
    const key = `${use === 'output' ? 'output' : 'input'} ${module} ${typeName}`
    if (!requestedKeys.has(key)) requested.push({ use, module, name: typeName, spec })
    requestedKeys.add(key)
    return `${use === 'output' ? 'outputs' : 'inputs'}.${namespace}${typeName}`
  }

  /**
   * Names a type in one use. In SDKs of bridged providers, inputs have the suffix `Args` only if
   * functions use the type.
   */
  function nameType(token: string, name: string, use: TypeUse): string {
    const hasSuffix = use === 'input' && (!isBridged || functionTypes.has(token))
    return hasSuffix ? `${toTitle(name)}Args` : toTitle(name)
  }

  const context: TypeContext = {
    packageName: schema.name,
    formatReference,
    hasOutputUnions: !disableUnionOutputTypes,
  }
  return {
    format: (spec, use) =>
      formatType(spec, spec.plain === true && use === 'input' ? 'plain' : use, context),
    takeRequested() {
      const taken = requested
      requested = []
      return taken
    },
  }
}

interface TypeContext {
  readonly packageName: string
  readonly formatReference: (reference: string, use: TypeUse) => string
  /** Whether an output of several types is a union. Otherwise it has its default type. */
  readonly hasOutputUnions: boolean
}

function formatType(spec: TypeSpec, use: TypeUse, context: TypeContext): string {
  if (spec.oneOf !== undefined && use === 'output' && !context.hasOutputUnions)
    return spec.type === undefined ? 'any' : formatType({ type: spec.type }, use, context)
  if (spec.oneOf !== undefined)
    return [...new Set(spec.oneOf.map(choice => formatType(choice, use, context)))].join(' | ')
  if (spec.$ref !== undefined) return context.formatReference(spec.$ref, use)
  const formatElement = (element: TypeSpec): string => {
    const isPlain = use === 'input' && element.plain === true
    const text = formatType(element, isPlain ? 'plain' : use, context)
    return use === 'input' && !isPlain ? `pulumi.Input<${text}>` : text
  }
  switch (spec.type) {
    case 'string':
    case 'boolean':
    case 'number':
      return spec.type
    case 'integer':
      return 'number'
    case 'array': {
      const element = formatElement(spec.items ?? { $ref: 'pulumi.json#/Any' })
      return /^[\w.$]+(<.*>)?$/.test(element) ? `${element}[]` : `(${element})[]`
    }
    case 'object':
      return `{ [key: string]: ${formatElement(spec.additionalProperties ?? { type: 'string' })} }`
    default:
      throw createError(
        'PLUGIN_FAILED',
        `the schema of '${context.packageName}' has a property of the unknown type '${spec.type}'`,
      )
  }
}

function formatEnum(spec: ComplexTypeSpec): string {
  const values = spec.enum ?? []
  return [...new Set(values.map(({ value }) => JSON.stringify(value)))].join(' | ') || 'never'
}

/** Returns the tokens of the types that arguments of functions use. */
function findFunctionTypes(schema: PackageSchema): ReadonlySet<string> {
  const functions = Object.values(schema.functions ?? {})
  const inputs = functions.flatMap(({ inputs: spec }) => Object.values(spec?.properties ?? {}))
  return findUsedTypes(schema, inputs)
}
