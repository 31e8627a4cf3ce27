import type { Alias as WireAlias } from '../../../proto/gen/pulumi/alias.ts'
import type {
  ReadResourceRequest,
  RegisterResourceRequest,
  RegisterResourceRequest_CustomTimeouts,
} from '../../../proto/gen/pulumi/resource.ts'
import type { SourcePosition, StackTrace } from '../../../proto/gen/pulumi/source.ts'
import { createError } from '../../errors/error.ts'
import { isProviderType, packageOf } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import { type CustomTimeouts, noTimeouts, type StackFrame } from '../../state/resource.ts'
import { stackTraceOf } from '../../state/shared-traces.ts'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { downgradeOutputs } from '../../values/special-values.ts'
import { parsePath } from '../../values/path.ts'
import { decodeWire, decodeWireValue } from '../../values/decode-wire.ts'
import type { WireOptions } from '../../values/wire-options.ts'
import type { Alias } from '../../names/alias.ts'
import type { PackageRequest } from '../../providers/package-request.ts'
import type { Registration } from '../generator/registration/goal.ts'
import { addOutputDependencies } from '../generator/calls/output-dependencies.ts'
import type { ReadRequest } from '../generator/calls/read-resource.ts'
import { toHexChecksums, type Packages, requireVersion } from './packages.ts'
import { parseDuration } from './duration.ts'
import { parseRequestUrn, parseOptionalUrn } from './request-urns.ts'
import { toProjectPosition } from './source-position.ts'
import type { StackTraces } from './stack-traces.ts'

/**
 * The wire options for values that a program sends. Source:
 * docs/spec/property-values.md#options-per-call, the table of the resource monitor.
 */
export const programWireOptions: WireOptions = {
  unknowns: 'keep',
  secrets: true,
  references: true,
  outputs: true,
  allowsByteStrings: true,
}

/** The dependencies of reading a request. */
export interface ReadingDeps {
  /** The project's folder, to which source positions are relative. */
  readonly root: string
  readonly hashAssets: (map: PropertyMap) => Promise<PropertyMap>
  /** The packages that the program registered. */
  readonly packages: Pick<Packages, 'lookup'>
  /**
   * The stack traces of callers, for registrations by a called method or a constructed component.
   */
  readonly traces: StackTraces
}

/**
 * Decodes a registration. Only the inputs of a remote component, which its provider constructs,
 * keep their output values. Throws RESOURCE_INVALID, VALUE_MALFORMED, PACKAGE_INVALID or
 * FEATURE_MISSING.
 */
export async function decodeRegistration(
  request: RegisterResourceRequest,
  deps: ReadingDeps,
): Promise<Registration> {
  refuseMigrations(request)
  requireValidType(request)
  const needsProvider = request.remote || (request.custom && !isProviderType(request.type))
  if (needsProvider) requireVersion('package', request.version)
  for (const path of request.hideDiffs) parsePath(path)
  const options = { ...programWireOptions, upgradesToOutputs: request.remote }
  const sentInputs = await deps.hashAssets(decodeWire(request.object, options))
  const dependencies = sortUnique(
    request.dependencies.map(urn => parseRequestUrn(urn, 'dependency')),
  )
  const { replacementTrigger } = request
  return {
    type: request.type,
    name: request.name,
    custom: request.custom,
    parent: parseOptionalUrn(request.parent),
    inputs: request.remote ? sentInputs : downgradeOutputs(sentInputs),
    protect: request.protect,
    retainOnDelete: request.retainOnDelete,
    deletedWith: parseOptionalUrn(request.deletedWith, 'DeletedWith'),
    dependencies,
    propertyDependencies: readPropertyDependencies(request, sentInputs, dependencies),
    provider: request.provider,
    providers: request.providers,
    plugin: readPluginRequest(packageOf(request.type), request, deps),
    hasPackageRef: request.packageRef !== '',
    envVarMappings: request.envVarMappings,
    deleteBeforeReplace:
      request.deleteBeforeReplaceDefined || request.deleteBeforeReplace
        ? request.deleteBeforeReplace
        : undefined,
    ignoreChanges: request.ignoreChanges,
    replaceOnChanges: request.replaceOnChanges,
    additionalSecretOutputs: request.additionalSecretOutputs,
    hideDiff: request.hideDiffs,
    aliases: readAliases(request),
    // The provider of a remote component receives the timeouts as texts, with Construct.
    customTimeouts: request.remote ? noTimeouts : readTimeouts(request.customTimeouts),
    replaceWith: request.replaceWith.map(urn => parseRequestUrn(urn, 'ReplaceWith')),
    importId: request.importId,
    replacementTrigger:
      replacementTrigger === undefined ? null : readReplacementTrigger(replacementTrigger),
    resourceHooks: readHooks(request.hooks),
    sourcePosition: positionOf(request.sourcePosition, deps.root),
    stackTrace: readFrames(request, deps),
  }
}

/**
 * Decodes a request to read a resource. Throws RESOURCE_INVALID, VALUE_MALFORMED or
 * PACKAGE_INVALID.
 */
export function decodeReadRequest(request: ReadResourceRequest, deps: ReadingDeps): ReadRequest {
  requireTypeToken(request.type)
  if (request.provider === '') requireVersion('package', request.version)
  const id = decodeWireValue(request.id, programWireOptions)
  return {
    type: request.type,
    name: request.name,
    id: typeof id === 'string' ? id : '',
    isIdUnknown: typeof id !== 'string',
    parent: parseOptionalUrn(request.parent),
    properties: decodeWire(request.properties, { ...programWireOptions, outputs: false }),
    dependencies: sortUnique(request.dependencies.map(urn => parseRequestUrn(urn, 'dependency'))),
    provider: request.provider,
    plugin: readPluginRequest(packageOf(request.type), request, deps),
    additionalSecretOutputs: request.additionalSecretOutputs,
    sourcePosition: positionOf(request.sourcePosition, deps.root),
    stackTrace: readFrames(request, deps),
  }
}

/**
 * Returns the plugin that a request specifies for a package. The request has the reference of a
 * registered package, or fields that describe the plugin. Throws PACKAGE_INVALID.
 */
export function readPluginRequest(
  pkg: string,
  request: {
    readonly version: string
    readonly pluginDownloadURL: string
    readonly pluginChecksums: ReadonlyMap<string, Uint8Array>
    readonly packageRef: string
  },
  { packages }: Pick<ReadingDeps, 'packages'>,
): PackageRequest {
  if (request.packageRef !== '') return packages.lookup(request.packageRef)
  const checksums = toHexChecksums(request.pluginChecksums)
  return { pkg, version: request.version, downloadUrl: request.pluginDownloadURL, checksums }
}

/**
 * Throws FEATURE_MISSING for state migrations. Pulumi's protocol contains them, but its deployments
 * do not support them either.
 */
function refuseMigrations({ stateMigrations, name }: RegisterResourceRequest): void {
  if (stateMigrations.length === 0) return
  const message = `state migrations are not supported by this deployment (resource '${name}')`
  throw createError('FEATURE_MISSING', message)
}

/**
 * Throws RESOURCE_INVALID for an invalid type token, or for `envVarMappings` of a resource that is
 * no provider.
 */
function requireValidType(request: RegisterResourceRequest): void {
  if (request.envVarMappings.size > 0 && !isProviderType(request.type))
    throw createError('RESOURCE_INVALID', 'envVarMappings can only be used with provider resources')
  if (request.custom || request.remote) requireTypeToken(request.type)
}

/**
 * Throws RESOURCE_INVALID for a text that is not a type token. Not called for local components,
 * which may have any type.
 */
function requireTypeToken(type: string): void {
  if (type.split(':').length < 3)
    throw createError(
      'RESOURCE_INVALID',
      `Type '${type}' is not a valid type token (must have format '*:*:*')`,
    )
}

/** Returns hook type → names of hooks, without types that have no hooks. */
function readHooks(
  hooks: RegisterResourceRequest['hooks'],
): ReadonlyMap<string, readonly string[]> {
  // The field `beforeCreate` has the hooks of the type `BeforeCreate`.
  const entries = Object.entries(hooks ?? {}).map(
    ([hookField, names]) => [hookField[0]?.toUpperCase() + hookField.slice(1), names] as const,
  )
  return new Map(entries.filter(([, names]) => names.length > 0))
}

function readReplacementTrigger(wire: unknown): PropertyValue {
  const value = decodeWireValue(wire, programWireOptions, 'replacementTrigger') ?? null
  return downgradeOutputs(new Map([['trigger', value]])).get('trigger') ?? null
}

/**
 * Returns the dependencies of each property: those in the request, and those in its output values.
 * If the request lists none per property, each property gets all dependencies of the resource. This
 * does not apply to remote components.
 */
function readPropertyDependencies(
  request: RegisterResourceRequest,
  inputs: PropertyMap,
  dependencies: readonly Urn[],
): ReadonlyMap<string, readonly Urn[]> {
  const declaredDependencies =
    request.propertyDependencies.size === 0 && !request.remote
      ? new Map([...inputs.keys()].map(key => [key, dependencies]))
      : new Map(
          [...request.propertyDependencies].map(([key, { urns }]) => [
            key,
            urns.map(urn => parseRequestUrn(urn, `dependency on property ${key}`)),
          ]),
        )
  return addOutputDependencies(inputs, declaredDependencies)
}

function readAliases(request: RegisterResourceRequest): readonly Alias[] {
  const urns = request.aliasURNs.map(
    (urn): Alias => ({ kind: 'urn', urn: parseRequestUrn(urn, 'alias') }),
  )
  return [...urns, ...request.aliases.flatMap(readAlias)]
}

function readAlias({ alias }: WireAlias): readonly Alias[] {
  if (alias === undefined) return []
  if (alias.$case === 'urn') return [{ kind: 'urn', urn: parseRequestUrn(alias.value, 'alias') }]
  const spec = alias.value
  const parent = readAliasParent(spec.parent)
  return [
    {
      kind: 'spec',
      ...(spec.name === '' ? {} : { name: spec.name }),
      ...(spec.type === '' ? {} : { type: spec.type }),
      ...(spec.stack === '' ? {} : { stack: spec.stack }),
      ...(spec.project === '' ? {} : { project: spec.project }),
      ...(parent === undefined ? {} : { parent }),
    },
  ]
}

type WireParent =
  | { $case: 'parentUrn'; value: string }
  | { $case: 'noParent'; value: boolean }
  | undefined

function readAliasParent(parent: WireParent): Urn | '' | undefined {
  if (parent?.$case === 'parentUrn')
    return parent.value === '' ? undefined : parseRequestUrn(parent.value, 'parent alias')
  return parent?.value === true ? '' : undefined
}

function readTimeouts(
  timeouts: RegisterResourceRequest_CustomTimeouts | undefined,
): CustomTimeouts {
  if (timeouts === undefined) return noTimeouts
  const entries = (['create', 'update', 'delete', 'read'] as const).flatMap(key => {
    const seconds = parseDuration(timeouts[key])
    return seconds === 0 ? [] : [[key, seconds] as const]
  })
  return entries.length === 0 ? noTimeouts : Object.fromEntries(entries)
}

function positionOf(position: SourcePosition | undefined, root: string): string {
  return position === undefined ? '' : toProjectPosition(position, root)
}

/**
 * Returns the stack frames of a request, preceded by those of its caller, if any. The caller is the
 * request that called the method or constructed the component that sent this request.
 */
export function readFrames(
  request: {
    readonly stackTrace?: StackTrace | undefined
    readonly parentStackTraceHandle: string
  },
  { root, traces }: Pick<ReadingDeps, 'root' | 'traces'>,
): readonly StackFrame[] {
  return traces.withCallerFrames(request.parentStackTraceHandle, framesOf(request.stackTrace, root))
}

function framesOf(trace: StackTrace | undefined, root: string): readonly StackFrame[] {
  return stackTraceOf((trace?.frames ?? []).map(({ pc }) => positionOf(pc, root)))
}

function sortUnique(urns: readonly Urn[]): readonly Urn[] {
  return [...new Set(urns)].sort()
}
