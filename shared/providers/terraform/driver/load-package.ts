import { propertyNamesOf } from '../mapping/property-names.ts'
import {
  readBlockSchema,
  readFunctionSignature,
  readIdentityBlock,
} from '../mapping/read-schema-messages.ts'
import { nameResourceProperties } from '../mapping/resource-names.ts'
import { assignTokens, type PackageTokens, findTerraformName } from '../mapping/tokens.ts'
import type { IdentitySchemaMessage, SchemaMessage } from '../client/schema-messages.ts'
import { createError } from '../../../errors/error.ts'
import { decodeStoredMap, type JsonObject } from '../../../values/value-codec.ts'
import type {
  MsgpackValue,
  ProviderSchemaResponse,
  TerraformClient,
} from '../client/terraform-client.ts'
import { buildConfig } from '../values/build-config.ts'
import { createConfigError } from '../values/config-problem.ts'
import { nullOf } from '../values/cty-value.ts'
import { impliedTypeOf } from '../values/schema.ts'
import { validateSchema } from '../values/validate-schema.ts'
import type { PackageOptions } from './package-parameter.ts'
import { createRefusal, readResponse } from './provider-failure.ts'
import { encodeValue } from './wire-values.ts'
import type {
  IdentitySchema,
  TypeSchema,
  PackageDescriptor,
  ResourceType,
  TerraformPackage,
} from './terraform-package.ts'

/**
 * Loads the schemas of a provider. Throws ProviderError if the provider returns no schemas, or if
 * the schema of its own configuration is invalid. Throws the errors of `encodeMeta`. The schemas of
 * types and functions are checked later, by the functions of `PackageFinders`.
 */
export async function loadTerraformPackage(
  client: TerraformClient,
  descriptor: PackageDescriptor,
  { includes, excludes, providerMeta }: Omit<PackageOptions, 'providerName'>,
): Promise<TerraformPackage> {
  const { name, providerName } = descriptor
  const schemas = await client.getProviderSchema()
  const failures = schemas.diagnostics.filter(({ severity }) => severity === 'error')
  if (failures.length > 0) {
    const reasons = failures.map(({ summary, detail }) => `${summary}: ${detail}`)
    throw createRefusal(`provider '${name}' has no schema: ${reasons.join('; ')}`)
  }
  const { schemas: identities } = await client.getResourceIdentitySchemas()
  const tokens = assignTokens({
    packageName: name,
    providerName,
    resources: schemas.resources.keys(),
    dataSources: schemas.dataSources.keys(),
    functions: schemas.functions.keys(),
    listResources: schemas.listResources.keys(),
    actions: schemas.actions.keys(),
    isIncluded: tfName =>
      !excludes.includes(tfName) && (includes.length === 0 || includes.includes(tfName)),
  })
  return {
    ...descriptor,
    tokens,
    schemas,
    provider: readObjectSchema(name, providerName, schemas.provider ?? emptySchema),
    providerMeta: encodeMeta(descriptor, providerMeta, schemas.providerMeta),
    ...createFinders(descriptor, tokens, { ...schemas, identities }),
  }
}

/**
 * Encodes the metadata of a package, or null if it has none. Returns undefined for a provider that
 * accepts no metadata. Throws TERRAFORM_CONFIG_INVALID for metadata that does not fit the schema,
 * TERRAFORM_PACKAGE_INVALID for metadata of a provider that accepts none, and ProviderError for an
 * invalid schema.
 */
function encodeMeta(
  { name }: PackageDescriptor,
  metaJson: JsonObject | undefined,
  message: SchemaMessage | undefined,
): MsgpackValue | undefined {
  if (message === undefined) {
    if (metaJson === undefined) return undefined
    throw createError(
      'TERRAFORM_PACKAGE_INVALID',
      `the parameter of package '${name}' has 'providerMeta', but its provider accepts no metadata`,
    )
  }
  const { block, type } = readObjectSchema(name, 'provider_meta', message)
  if (metaJson === undefined) return encodeValue(nullOf(type), type)
  const input = decodeStoredMap(metaJson, ciphertext => ciphertext)
  const { value, problems } = buildConfig(block, input)
  if (problems.length > 0) throw createConfigError(`the metadata of package '${name}'`, problems)
  return encodeValue(value, type)
}

const emptySchema: SchemaMessage = {
  version: 0,
  block: {
    attributes: [],
    blockTypes: [],
    description: { text: '', isMarkdown: false },
    isDeprecated: false,
    deprecationMessage: '',
  },
}

type PackageFinders = Pick<
  TerraformPackage,
  | 'requireResource'
  | 'requireDataSource'
  | 'requireEphemeral'
  | 'findListedType'
  | 'findAction'
  | 'findFunction'
>

/**
 * Creates the finders. They read each schema on demand, because a provider can have 1,000 types.
 */
function createFinders(
  descriptor: PackageDescriptor,
  tokens: PackageTokens,
  schemas: ProviderSchemaResponse & {
    readonly identities: ReadonlyMap<string, IdentitySchemaMessage>
  },
): PackageFinders {
  const { name, providerName, version } = descriptor
  const { prefix } = tokens
  const getResource = memoize((typeName: string): ResourceType | undefined => {
    const message = schemas.resources.get(typeName)
    if (message === undefined) return undefined
    const object = readObjectSchema(name, typeName, message)
    return {
      ...object,
      names: nameResourceProperties(object.block, { typeName, providerName, prefix }),
      version: message.version,
      identity: toIdentitySchema(name, schemas.identities.get(typeName)),
    }
  })
  const createSchemaGetter = (messages: ReadonlyMap<string, SchemaMessage>) =>
    memoize((typeName: string): TypeSchema | undefined => {
      const message = messages.get(typeName)
      return message && readObjectSchema(name, typeName, message)
    })
  const getDataSource = createSchemaGetter(schemas.dataSources)
  const getEphemeral = createSchemaGetter(schemas.ephemeralResources)
  const getListConfig = createSchemaGetter(schemas.listResources)
  const getAction = createSchemaGetter(schemas.actions)
  const createUnknownError = (kind: string, token: string): Error =>
    createRefusal(`provider '${name}' ${version} has no ${kind} '${token}'`)
  return {
    requireResource(token) {
      const typeName = findTerraformName(tokens.resources, token)
      const resource = typeName === undefined ? undefined : getResource(typeName)
      if (resource === undefined) throw createUnknownError('resource type', token)
      return resource
    },
    requireDataSource(token) {
      const typeName = findTerraformName(tokens.dataSources, token)
      const dataSource = typeName === undefined ? undefined : getDataSource(typeName)
      if (dataSource === undefined) throw createUnknownError('data source or function', token)
      return dataSource
    },
    requireEphemeral(typeName) {
      const ephemeral = getEphemeral(typeName)
      if (ephemeral === undefined) throw createUnknownError('ephemeral resource', typeName)
      return ephemeral
    },
    findListedType(token) {
      const typeName = findTerraformName(tokens.listResources, token)
      const config = typeName === undefined ? undefined : getListConfig(typeName)
      if (typeName === undefined || config === undefined) return undefined
      const resource = getResource(typeName)
      if (resource === undefined) throw createUnknownError('listed resource type', typeName)
      return { config, resource }
    },
    findAction(token) {
      const typeName = findTerraformName(tokens.actions, token)
      return typeName === undefined ? undefined : getAction(typeName)
    },
    findFunction(token) {
      const functionName = findTerraformName(tokens.functions, token)
      const message = functionName === undefined ? undefined : schemas.functions.get(functionName)
      return functionName === undefined || message === undefined
        ? undefined
        : { name: functionName, signature: readFunctionSignature(message) }
    },
  }
}

function readObjectSchema(provider: string, typeName: string, message: SchemaMessage): TypeSchema {
  const block = readResponse(provider, 'has an invalid schema', () => {
    const parsed = readBlockSchema(message.block)
    validateSchema(parsed, `'${typeName}'`)
    return parsed
  })
  return { typeName, block, type: impliedTypeOf(block), names: propertyNamesOf(block) }
}

function toIdentitySchema(
  provider: string,
  message: IdentitySchemaMessage | undefined,
): IdentitySchema | undefined {
  if (message === undefined) return undefined
  const block = readResponse(provider, 'has an invalid identity schema', () =>
    readIdentityBlock(message),
  )
  return { version: message.version, block, type: impliedTypeOf(block) }
}

function memoize<T>(compute: (key: string) => T): (key: string) => T {
  const results = new Map<string, T>()
  return key => {
    const existing = results.get(key)
    if (existing !== undefined) return existing
    const result = compute(key)
    results.set(key, result)
    return result
  }
}
