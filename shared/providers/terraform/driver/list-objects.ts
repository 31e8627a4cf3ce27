import { requireNoErrors } from './require-no-errors.ts'
import {
  emptyMap,
  isMap,
  type PropertyMap,
  type PropertyValue,
  unknown,
} from '../../../values/value.ts'
import { containsUnknown } from '../../../values/special-values.ts'
import type { CallResult, CheckFailure, Provider } from '../../provider.ts'
import type { ListResourceEvent } from '../client/terraform-client.ts'
import { toOutputs, toOutputValue } from '../mapping/to-outputs.ts'
import { boolOf, isWhollyKnown, numberOf } from '../values/cty-value.ts'
import { boolType, numberType } from '../values/type-system.ts'
import { freeShape } from '../mapping/property-names.ts'
import { buildInvokeConfig } from './invoke-config.ts'
import { sensitivePathsOf } from './object-outputs.ts'
import { checkState, readIdentityOf } from './prior-object.ts'
import { createRefusal, describeProviderBug } from './provider-failure.ts'
import type { ListedType, ResourceType } from './terraform-package.ts'
import { type TerraformSession } from './terraform-session.ts'
import { decodeValue, encodeValue } from './wire-values.ts'

/** The property with the listed objects. */
const resultsKey = 'results'

/**
 * Lists the objects of a type. The arguments are `config`, `limit` and `includeResource`. Each
 * result has `displayName`, `identity` and, on request, `resource`. An identity uses Terraform's
 * attribute names, so its JSON can serve as the id of an import. Throws ProviderError.
 */
export async function listObjects(
  session: TerraformSession,
  { config: schema, resource }: ListedType,
  { token, args }: Parameters<Provider['invoke']>[0],
): Promise<CallResult> {
  const options = readListOptions(args)
  if (options.failures.length > 0) return { outputs: emptyMap, failures: options.failures }
  // Only previews have unknown arguments.
  if (containsUnknown(args)) return { outputs: new Map([[resultsKey, unknown]]), failures: [] }
  const { typeName } = schema
  const { limit, includesResource } = options
  const config = await buildInvokeConfig(session, schema, {
    token,
    args: options.config,
    validate: encoded =>
      session.client.validateListResourceConfig({
        typeName,
        config: encoded,
        includeResourceObject: encodeValue(boolOf(includesResource), boolType),
        limit: encodeValue(numberOf(BigInt(limit)), numberType),
      }),
  })
  const failures = config.failures.map(
    ({ property, reason }): CheckFailure => ({
      property: property === '' ? 'config' : `config.${property}`,
      reason,
    }),
  )
  if (failures.length > 0) return { outputs: emptyMap, failures }
  const results: PropertyMap[] = []
  const events = session.client.listResource({
    typeName,
    config: config.encoded,
    includeResourceObject: includesResource,
    limit,
  })
  for await (const event of events) {
    const result = readListEvent(session, resource, { token, event })
    if (result !== undefined) results.push(result)
    if (limit > 0 && results.length === limit) break
  }
  return { outputs: new Map([[resultsKey, results]]), failures: [] }
}

/** Reads an event. Returns undefined for one that has only warnings. */
function readListEvent(
  session: TerraformSession,
  resource: ResourceType,
  { token, event }: { readonly token: string; readonly event: ListResourceEvent },
): PropertyMap | undefined {
  const { names, type } = resource
  requireNoErrors(session, resource, { verb: 'list', subject: token, response: event })
  const identity = readIdentityOf(session, resource, event.identity)
  const value = checkState(session, resource, {
    urn: token,
    messageStart: 'listed the objects',
    read: () => decodeValue(event.resourceObject, type),
  })
  if (identity === undefined && value.kind === 'null') return undefined
  if (identity === undefined || !isWhollyKnown(identity)) {
    const message = 'an object has no known identity'
    throw createRefusal(
      describeProviderBug(session.pkg.name, `listed '${token}' wrongly`, [{ message, path: [] }]),
    )
  }
  const result = new Map<string, PropertyValue>([
    ['displayName', event.displayName],
    ['identity', toOutputValue(identity, freeShape, [])],
  ])
  if (value.kind !== 'null')
    result.set('resource', toOutputs(names, value, sensitivePathsOf(resource, value, [])))
  return result
}

interface ListOptions {
  readonly config: PropertyMap
  /** Zero means no limit. */
  readonly limit: number
  readonly includesResource: boolean
  readonly failures: readonly CheckFailure[]
}

function readListOptions(args: PropertyMap): ListOptions {
  const failures: CheckFailure[] = []
  const refuse = (property: string, reason: string): void =>
    void failures.push({ property, reason })
  const config = args.get('config') ?? emptyMap
  const limit = args.get('limit') ?? 0
  const includesResource = args.get('includeResource') ?? false
  const isLimitValid = typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 0
  if (!isMap(config) && config !== unknown) refuse('config', 'an object is required')
  if (!isLimitValid && limit !== unknown) refuse('limit', 'a whole number from 0 on is required')
  if (typeof includesResource !== 'boolean' && includesResource !== unknown)
    refuse('includeResource', 'true or false is required')
  for (const name of args.keys())
    if (!['config', 'limit', 'includeResource'].includes(name))
      refuse(name, "a list has only 'config', 'limit' and 'includeResource'")
  return {
    config: isMap(config) ? config : emptyMap,
    limit: isLimitValid ? limit : 0,
    includesResource: includesResource === true,
    failures,
  }
}
