import type {
  FunctionSpec,
  ObjectSpec,
  PackageSchema,
  ResourceSpec,
} from '../../package-schema/package-schema.ts'
import type { FunctionMessage } from '../client/schema-messages.ts'
import type { BlockSchema } from '../values/schema.ts'
import { describeFunction } from './function-schema.ts'
import { basePlugin } from './base-plugin.ts'
import type { PropertyNames } from './property-names.ts'
import {
  createTypeDeclarations,
  type DescribedProperty,
  describeDeprecation,
  createObjectSpec,
  type TypeDeclarations,
} from './describe-properties.ts'

/** A resource type, a data source or the provider, with the names of its properties. */
export interface DescribedObject {
  readonly block: BlockSchema
  readonly names: PropertyNames
}

/** The contents of a package of a Terraform provider. The keys of its maps are tokens. */
export interface PackageContents {
  readonly name: string
  readonly version: string
  readonly providerName: string
  /** The address of the provider, such as `registry.opentofu.org/hashicorp/random`. */
  readonly source: string
  readonly isLocal: boolean
  /** The parameter value, as base64. */
  readonly parameter: string
  readonly provider: DescribedObject
  readonly resources: ReadonlyMap<string, DescribedObject>
  readonly dataSources: ReadonlyMap<string, DescribedObject>
  readonly functions: ReadonlyMap<string, FunctionMessage>
  /** The configurations of list resources, by the token of their function. */
  readonly lists: ReadonlyMap<string, DescribedObject>
  readonly actions: ReadonlyMap<string, DescribedObject>
}

/**
 * Returns the schema of a package, with the tokens and names of Pulumi's bridge. Throws
 * TERRAFORM_PROVIDER_BUG for an invalid type.
 */
export function describePackage(contents: PackageContents): PackageSchema {
  const { name, version, providerName, parameter } = contents
  const declarations = createTypeDeclarations(name)
  const provider = describeProvider(contents.provider, declarations)
  const resources = mapEntries(contents.resources, (resource, token) =>
    describeResource(resource, pulumiNameOf(token), declarations),
  )
  const functions = {
    ...mapEntries(contents.dataSources, (dataSource, token) =>
      describeDataSource(dataSource, pulumiNameOf(token), declarations),
    ),
    ...mapEntries(contents.functions, (message, token) =>
      describeFunction(pulumiNameOf(token), message, declarations),
    ),
    ...mapEntries(contents.lists, (list, token) =>
      describeList(list, pulumiNameOf(token), declarations),
    ),
    ...mapEntries(contents.actions, (action, token) =>
      describeAction(action, pulumiNameOf(token), declarations),
    ),
  }
  return {
    name,
    version,
    description: `A Pulumi package of the Terraform provider ${providerName}.`,
    ...describeOrigin(contents),
    meta: { moduleFormat: '(.*)(?:/[^/]*)' },
    language: describeLanguages(name, version),
    config: { variables: provider.inputProperties ?? {} },
    types: Object.fromEntries([...declarations.types].toSorted(compareKeys)),
    provider,
    resources,
    functions,
    parameterization: { baseProvider: basePlugin, parameter },
  }
}

/**
 * Describes the repository and the publisher. The protocol of registries does not name the
 * repository of a provider. So the description names the repository that a provider has on GitHub
 * by convention.
 */
function describeOrigin({
  source,
  isLocal,
}: PackageContents): Pick<PackageSchema, 'attribution' | 'repository' | 'publisher'> {
  const [type = '', namespace = ''] = source.split('/').toReversed()
  if (isLocal || namespace === '') return {}
  const repository = `https://github.com/${namespace}/terraform-provider-${type}`
  return {
    attribution: `This Pulumi package is based on the [\`${type}\` Terraform Provider](${repository}).`,
    repository,
    publisher: namespace,
  }
}

/** Returns the options with which Pulumi's SDK generators use the same names as Pulumi's bridge. */
function describeLanguages(name: string, version: string): NonNullable<PackageSchema['language']> {
  const compatibility = 'tfbridge20'
  const respectSchemaVersion = true
  const liftSingleValueMethodReturns = true
  const major = Number.parseInt(version, 10)
  const goModule = major > 1 ? `${name}/v${major}` : name
  return {
    csharp: { compatibility, liftSingleValueMethodReturns, respectSchemaVersion },
    go: {
      importBasePath: `github.com/pulumi/pulumi-terraform-provider/sdks/go/${goModule}/${name}`,
      rootPackageName: name,
      liftSingleValueMethodReturns,
      generateExtraInputTypes: true,
      respectSchemaVersion,
    },
    nodejs: {
      compatibility,
      disableUnionOutputTypes: true,
      liftSingleValueMethodReturns,
      respectSchemaVersion,
    },
    python: { compatibility, respectSchemaVersion, pyproject: { enabled: true } },
  }
}

function describeProvider(
  { block, names }: DescribedObject,
  declarations: TypeDeclarations,
): ResourceSpec {
  const properties = declarations.describeProperties(block, 'Provider', names)
  const inputs = createObjectSpec(selectInputs(properties), property => property.isRequiredInput)
  return {
    ...describeText(block),
    properties: inputs.properties ?? {},
    inputProperties: inputs.properties ?? {},
    ...(inputs.required && { requiredInputs: inputs.required }),
  }
}

function describeResource(
  { block, names }: DescribedObject,
  typeName: string,
  declarations: TypeDeclarations,
): ResourceSpec {
  const allProperties = declarations.describeProperties(block, typeName, names)
  // Pulumi itself gives each resource the property `id`, in place of the computed attribute `id`.
  const properties = new Map([...allProperties].filter(([name]) => name !== 'id'))
  const outputs = createObjectSpec(properties, property => property.isRequiredOutput)
  const inputs = createObjectSpec(
    selectInputs(properties),
    property => property.isRequiredInput && !isNamedAutomatically(property),
  )
  return {
    ...describeText(block),
    properties: outputs.properties ?? {},
    ...(outputs.required && { required: outputs.required }),
    inputProperties: inputs.properties ?? {},
    ...(inputs.required && { requiredInputs: inputs.required }),
    stateInputs: {
      description: `Input properties used for looking up and filtering ${typeName} resources.\n`,
      ...createObjectSpec(properties, () => false),
    },
  }
}

/**
 * Reports whether the driver derives the property from the resource's name if the program sets
 * none.
 */
function isNamedAutomatically({ tfName, spec }: DescribedProperty): boolean {
  return tfName === 'name' && spec.type === 'string'
}

function describeDataSource(
  { block, names }: DescribedObject,
  typeName: string,
  declarations: TypeDeclarations,
): FunctionSpec {
  const properties = declarations.describeProperties(block, typeName, names)
  const inputs: ObjectSpec = {
    description: `A collection of arguments for invoking ${typeName}.\n`,
    ...createObjectSpec(selectInputs(properties), property => property.isRequiredInput),
  }
  const outputs: ObjectSpec = {
    description: `A collection of values returned by ${typeName}.\n`,
    ...createObjectSpec(properties, property => property.isRequiredOutput),
  }
  return { ...describeText(block), inputs, outputs }
}

/**
 * Describes the function that lists the objects of a type. The identity of a result has Terraform's
 * names, so its JSON can be the id of an import.
 */
function describeList(
  { block }: DescribedObject,
  typeName: string,
  declarations: TypeDeclarations,
): FunctionSpec {
  const anyObject = { type: 'object', additionalProperties: { $ref: 'pulumi.json#/Any' } }
  // SDKs name the whole result of a function `<name>Result`.
  const item = declarations.declareType(`${typeName}Item`, {
    type: 'object',
    properties: { displayName: { type: 'string' }, identity: anyObject, resource: anyObject },
    required: ['displayName', 'identity'],
  })
  return {
    ...describeText(block),
    inputs: {
      type: 'object',
      properties: {
        config: declarations.declareInput(block, `${typeName}Config`),
        includeResource: { type: 'boolean' },
        limit: { type: 'integer' },
      },
    },
    outputs: {
      type: 'object',
      properties: { results: { type: 'array', items: item } },
      required: ['results'],
    },
  }
}

/** Describes the function that runs an action. It has no result. */
function describeAction(
  { block, names }: DescribedObject,
  typeName: string,
  declarations: TypeDeclarations,
): FunctionSpec {
  const properties = declarations.describeProperties(block, typeName, names)
  const inputs = createObjectSpec(selectInputs(properties), property => property.isRequiredInput)
  return { ...describeText(block), inputs }
}

function describeText(block: BlockSchema): {
  readonly description?: string
  readonly deprecationMessage?: string
} {
  const deprecation = describeDeprecation(block)
  return {
    ...(block.description !== undefined && { description: block.description }),
    ...(deprecation !== undefined && { deprecationMessage: deprecation }),
  }
}

function selectInputs(
  properties: ReadonlyMap<string, DescribedProperty>,
): ReadonlyMap<string, DescribedProperty> {
  return new Map([...properties].filter(([, { isInput }]) => isInput))
}

/** Returns the name of a type in Pulumi, the last part of its token: `Pet` of `random:index/pet:Pet`. */
function pulumiNameOf(token: string): string {
  return token.slice(token.lastIndexOf(':') + 1)
}

function mapEntries<A, B>(
  entries: ReadonlyMap<string, A>,
  convert: (value: A, key: string) => B,
): Readonly<Record<string, B>> {
  return Object.fromEntries(
    [...entries].toSorted(compareKeys).map(([key, value]) => [key, convert(value, key)]),
  )
}

function compareKeys([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
