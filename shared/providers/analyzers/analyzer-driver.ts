import { status } from '@grpc/grpc-js'
import {
  type AnalyzeDiagnostic,
  AnalyzeRequest,
  type AnalyzerInfo,
  AnalyzerResource,
  type AnalyzeResponse,
  AnalyzerService as service,
  AnalyzerStackConfigureRequest,
  AnalyzeStackRequest,
  ConfigureAnalyzerRequest,
  type PolicyInfo as WirePolicy,
  type RemediateResponse,
} from '../../../proto/gen/pulumi/analyzer.ts'
import { messageOf } from '../../errors/error.ts'
import type { PropertyMap } from '../../values/value.ts'
import { fromWire, toWire, type WireOptions } from '../../values/wire.ts'
import type { Connection } from '../plugins/connection.ts'
import { grpcCodeOf } from '../pulumi/grpc-errors.ts'
import type {
  Analysis,
  AnalyzedProvider,
  AnalyzedResource,
  AnalyzedStackResource,
  Analyzer,
  Enforcement,
  PackInfo,
  PolicyInfo,
  PolicySettings,
  Severity,
} from './analyzer.ts'

const levels = ['advisory', 'mandatory', 'disabled', 'remediate'] as const
const severities = ['', 'low', 'medium', 'high', 'critical'] as const
const kinds = ['unknown', 'resource', 'stack'] as const

const values: WireOptions = {
  unknowns: 'keep',
  secrets: true,
  references: false,
  outputs: false,
  bytes: false,
}

/** The description of the deployment that a pack receives. */
export interface PackContext {
  readonly stack: string
  readonly project: string
  readonly organization: string
  readonly dryRun: boolean
  readonly config: ReadonlyMap<string, string>
  readonly configSecretKeys: readonly string[]
}

/**
 * Performs the handshake with a pack and describes the deployment to it. Skips the methods that the
 * pack does not implement.
 */
export async function initializePack(
  connection: Connection,
  context: PackContext & { readonly engineAddress: string; readonly directory: string },
): Promise<void> {
  const { engineAddress, directory, config, configSecretKeys, ...plain } = context
  const request = { engineAddress, rootDirectory: directory, programDirectory: directory }
  await ignoreUnimplemented(connection.call(service.handshake, request))
  const stackRequest = AnalyzerStackConfigureRequest.create({
    ...plain,
    config: new Map(config),
    configSecretKeys: [...configSecretKeys],
  })
  await ignoreUnimplemented(connection.call(service.configureStack, stackRequest))
}

/**
 * Returns the pack's description of itself. `version`: the version in its file, which takes
 * precedence.
 */
export async function fetchPackInfo(connection: Connection, version: string): Promise<PackInfo> {
  const answer: AnalyzerInfo = await connection.call(service.getAnalyzerInfo, {})
  const settings = new Map<string, PolicySettings>()
  for (const [name, { enforcementLevel, properties }] of answer.initialConfig)
    settings.set(name, {
      enforcement: toEnforcement(enforcementLevel),
      properties: properties ?? {},
    })
  return {
    name: answer.name,
    version: version === '' ? answer.version : version,
    takesSettings: answer.supportsConfig,
    policies: answer.policies
      .map(toPolicyInfo)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    settings,
  }
}

function toPolicyInfo(policy: WirePolicy): PolicyInfo {
  const { name, enforcementLevel, policyType, severity, configSchema } = policy
  return {
    name,
    enforcement: toEnforcement(enforcementLevel),
    kind: kinds[policyType] ?? 'unknown',
    severity: severities[severity] ?? '',
    schema: {
      properties: configSchema?.properties ?? {},
      required: configSchema?.required ?? [],
    },
  }
}

/** Sends a pack the settings of its policies. */
export async function configurePack(
  connection: Connection,
  settings: ReadonlyMap<string, PolicySettings>,
): Promise<void> {
  if (settings.size === 0) return
  const policyConfig = new Map(
    [...settings].map(([name, { enforcement, properties }]) => [
      name,
      {
        enforcementLevel: toEnforcementNumber(enforcement === '' ? 'advisory' : enforcement),
        properties: { ...properties },
      },
    ]),
  )
  await connection.call(service.configure, ConfigureAnalyzerRequest.create({ policyConfig }))
}

/** Creates the interface to a configured pack. */
export function createAnalyzer(
  connection: Connection,
  pack: Pick<Analyzer, 'info' | 'path' | 'close'> & {
    /**
     * The version in the pack's file, '' without one. It takes precedence over the versions in
     * responses.
     */
    readonly version: string
  },
): Analyzer {
  const { info, path, close, version } = pack
  const bySeverity = new Map(info.policies.map(({ name, severity }) => [name, severity]))
  const toAnalysis = ({ diagnostics, notApplicable }: AnalyzeResponse): Analysis => ({
    violations: diagnostics.map(one => toViolation(one, version, bySeverity)),
    notApplicable: notApplicable.map(({ policyName }) => policyName),
  })
  return {
    info,
    path,
    close,
    async analyze(resource) {
      const request = AnalyzeRequest.create(toAnalyzeRequest(resource, true))
      return toAnalysis(await connection.call(service.analyze, request).catch(rethrowExplained))
    },
    async remediate(resource) {
      const request = AnalyzeRequest.create(toAnalyzeRequest(resource, false))
      const pending = connection.call(service.remediate, request).catch(rethrowExplained)
      const answer: RemediateResponse | undefined = await ignoreUnimplemented(pending)
      return {
        remediations: (answer?.remediations ?? []).map(one => ({
          policy: one.policyName,
          pack: one.policyPackName,
          version: version === '' ? one.policyPackVersion : version,
          properties: fromWire(one.properties, values),
          diagnostic: one.diagnostic,
        })),
        notApplicable: (answer?.notApplicable ?? []).map(({ policyName }) => policyName),
      }
    },
    async analyzeStack(resources) {
      const request = AnalyzeStackRequest.create({ resources: resources.map(toStackResource) })
      const pending = connection.call(service.analyzeStack, request).catch(rethrowExplained)
      const answer = await ignoreUnimplemented(pending)
      return answer === undefined ? { violations: [], notApplicable: [] } : toAnalysis(answer)
    },
    async cancel() {
      await connection.call(service.cancel, {}).catch(() => undefined)
    },
  }
}

function toViolation(
  one: AnalyzeDiagnostic,
  version: string,
  severityOf: ReadonlyMap<string, Severity>,
) {
  const { policyName, policyPackName, policyPackVersion, message, urn } = one
  const severity = severities[one.severity] ?? ''
  return {
    policy: policyName,
    pack: policyPackName,
    version: version === '' ? policyPackVersion : version,
    message,
    enforcement: toEnforcement(one.enforcementLevel),
    urn,
    severity: severity === '' ? (severityOf.get(policyName) ?? '') : severity,
  }
}

/** Converts an enforcement level. Throws for an unknown one. */
function toEnforcement(level: number): Enforcement {
  const found = levels[level]
  if (found === undefined) throw new Error(`invalid enforcement level ${level}`)
  return found
}

function toEnforcementNumber(level: Enforcement): 0 | 1 | 2 | 3 {
  return ({ advisory: 0, mandatory: 1, disabled: 2, remediate: 3 } as const)[level]
}

function toAnalyzeRequest(resource: AnalyzedResource, isClean: boolean) {
  const { urn, type, name, options, provider } = resource
  const { customTimeouts, deleteBeforeReplace, ...plain } = options
  return {
    urn,
    type,
    name,
    properties: toStruct(resource.properties, isClean),
    options: {
      ...plain,
      ignoreChanges: [...options.ignoreChanges],
      additionalSecretOutputs: [...options.additionalSecretOutputs],
      aliases: [...options.aliases],
      deleteBeforeReplace: deleteBeforeReplace ?? false,
      deleteBeforeReplaceDefined: deleteBeforeReplace !== undefined,
      customTimeouts: { create: 0, update: 0, delete: 0, read: 0, ...customTimeouts },
    },
    provider: provider === undefined ? undefined : toWireProvider(provider),
  }
}

function toWireProvider({ urn, type, name, properties }: AnalyzedProvider) {
  return { urn, type, name, properties: toStruct(properties, true) }
}

function toStackResource(resource: AnalyzedStackResource): AnalyzerResource {
  const { dependencies, propertyDependencies, options } = resource
  const named = [...propertyDependencies].filter(([, urns]) => urns.length > 0)
  return AnalyzerResource.create({
    ...toAnalyzeRequest(resource, true),
    parent: options.parent,
    dependencies: [...dependencies],
    propertyDependencies: new Map(named.map(([key, urns]) => [key, { urns: [...urns] }])),
  })
}

/** `isClean`: without properties that are internal to engine and SDKs, such as `__provider`. */
function toStruct(properties: PropertyMap, isClean: boolean): Record<string, unknown> {
  const shown = [...properties].filter(([key]) => !isClean || !key.startsWith('__'))
  return toWire(new Map(shown), values)
}

/** Returns the response of a pack, or undefined when it does not implement the method. */
async function ignoreUnimplemented<T>(pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending
  } catch (thrown) {
    if (grpcCodeOf(thrown) === status.UNIMPLEMENTED) return undefined
    throw thrown
  }
}

/** Rethrows an error with the pack's own message, without the prefix that gRPC adds. */
function rethrowExplained(thrown: unknown): never {
  if (!(thrown instanceof Error) || !('details' in thrown)) throw thrown
  const details = typeof thrown.details === 'string' ? thrown.details : messageOf(thrown)
  throw Object.assign(new Error(details, { cause: thrown }), { code: grpcCodeOf(thrown) })
}
