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
import { decodeWire } from '../../values/decode-wire.ts'
import { encodeWire } from '../../values/encode-wire.ts'
import type { WireOptions } from '../../values/wire-options.ts'
import type { Connection } from '../plugins/connection.ts'
import { grpcCodeOf } from '../plugins/call-failures.ts'
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

const enforcementLevels = ['advisory', 'mandatory', 'disabled', 'remediate'] as const
const severities = ['', 'low', 'medium', 'high', 'critical'] as const
const policyKinds = ['unknown', 'resource', 'stack'] as const

const wireOptions: WireOptions = {
  unknowns: 'keep',
  secrets: true,
  references: false,
  outputs: false,
  allowsByteStrings: false,
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
 * Performs the handshake with a pack and sends the description of the deployment. A pack need not
 * implement these two methods.
 */
export async function initializePack(
  connection: Connection,
  context: PackContext & { readonly engineAddress: string; readonly packFolder: string },
): Promise<void> {
  const { engineAddress, packFolder, config, configSecretKeys, ...otherFields } = context
  const request = { engineAddress, rootDirectory: packFolder, programDirectory: packFolder }
  await ignoreUnimplemented(connection.call(service.handshake, request))
  const stackRequest = AnalyzerStackConfigureRequest.create({
    ...otherFields,
    config: new Map(config),
    configSecretKeys: [...configSecretKeys],
  })
  await ignoreUnimplemented(connection.call(service.configureStack, stackRequest))
}

/**
 * Returns the pack's description of itself. `version`: the version in the pack's PulumiPolicy.yaml,
 * or '' if the file names none. This version takes precedence over the version that the pack
 * reports.
 */
export async function fetchPackInfo(connection: Connection, version: string): Promise<PackInfo> {
  const response: AnalyzerInfo = await connection.call(service.getAnalyzerInfo, {})
  const settings = new Map<string, PolicySettings>()
  for (const [name, { enforcementLevel, properties }] of response.initialConfig)
    settings.set(name, {
      enforcement: toEnforcement(enforcementLevel),
      properties: properties ?? {},
    })
  return {
    name: response.name,
    version: version === '' ? response.version : version,
    takesSettings: response.supportsConfig,
    policies: response.policies
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
    kind: policyKinds[policyType] ?? 'unknown',
    severity: severities[severity] ?? '',
    schema: {
      properties: configSchema?.properties ?? {},
      required: configSchema?.required ?? [],
    },
  }
}

/** Sends a pack the settings of its policies. An unspecified level is sent as `advisory`. */
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
     * The version in the pack's PulumiPolicy.yaml, or '' if the file names none. This version takes
     * precedence over the versions in responses.
     */
    readonly version: string
  },
): Analyzer {
  const { info, path, close, version } = pack
  const severityByPolicy = new Map(info.policies.map(({ name, severity }) => [name, severity]))
  const toAnalysis = ({ diagnostics, notApplicable }: AnalyzeResponse): Analysis => ({
    violations: diagnostics.map(diagnostic => toViolation(diagnostic, version, severityByPolicy)),
    notApplicable: notApplicable.map(({ policyName }) => policyName),
  })
  return {
    info,
    path,
    close,
    async analyze(resource) {
      const request = AnalyzeRequest.create(toAnalyzeRequest(resource, true))
      return toAnalysis(await connection.call(service.analyze, request).catch(rethrowPackMessage))
    },
    async remediate(resource) {
      // A remediation replaces all inputs, so the request also needs the internal ones.
      const request = AnalyzeRequest.create(toAnalyzeRequest(resource, false))
      const pendingCall = connection.call(service.remediate, request).catch(rethrowPackMessage)
      const response: RemediateResponse | undefined = await ignoreUnimplemented(pendingCall)
      return {
        remediations: (response?.remediations ?? []).map(remediation => ({
          policy: remediation.policyName,
          pack: remediation.policyPackName,
          version: version === '' ? remediation.policyPackVersion : version,
          properties: decodeWire(remediation.properties, wireOptions),
          diagnostic: remediation.diagnostic,
        })),
        notApplicable: (response?.notApplicable ?? []).map(({ policyName }) => policyName),
      }
    },
    async analyzeStack(resources) {
      const request = AnalyzeStackRequest.create({ resources: resources.map(toStackResource) })
      const pendingCall = connection.call(service.analyzeStack, request).catch(rethrowPackMessage)
      const response = await ignoreUnimplemented(pendingCall)
      return response === undefined ? { violations: [], notApplicable: [] } : toAnalysis(response)
    },
    async cancel() {
      await connection.call(service.cancel, {}).catch(() => undefined)
    },
  }
}

function toViolation(
  diagnostic: AnalyzeDiagnostic,
  version: string,
  severityByPolicy: ReadonlyMap<string, Severity>,
) {
  const { policyName, policyPackName, policyPackVersion, message, urn } = diagnostic
  const severity = severities[diagnostic.severity] ?? ''
  return {
    policy: policyName,
    pack: policyPackName,
    version: version === '' ? policyPackVersion : version,
    message,
    enforcement: toEnforcement(diagnostic.enforcementLevel),
    urn,
    severity: severity === '' ? (severityByPolicy.get(policyName) ?? '') : severity,
  }
}

/** Converts an enforcement level. Throws for an unknown one. */
function toEnforcement(level: number): Enforcement {
  const enforcement = enforcementLevels[level]
  if (enforcement === undefined) throw new Error(`invalid enforcement level ${level}`)
  return enforcement
}

function toEnforcementNumber(level: Enforcement): 0 | 1 | 2 | 3 {
  return ({ advisory: 0, mandatory: 1, disabled: 2, remediate: 3 } as const)[level]
}

function toAnalyzeRequest(resource: AnalyzedResource, mustHideInternals: boolean) {
  const { urn, type, name, options, provider } = resource
  const { customTimeouts, deleteBeforeReplace, ...otherFields } = options
  return {
    urn,
    type,
    name,
    properties: toStruct(resource.properties, mustHideInternals),
    options: {
      ...otherFields,
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
  const nonEmptyDependencies = [...propertyDependencies].filter(([, urns]) => urns.length > 0)
  return AnalyzerResource.create({
    ...toAnalyzeRequest(resource, true),
    parent: options.parent,
    dependencies: [...dependencies],
    propertyDependencies: new Map(
      nonEmptyDependencies.map(([key, urns]) => [key, { urns: [...urns] }]),
    ),
  })
}

/**
 * Converts properties for a pack. With `mustHideInternals`, leaves out properties that are internal
 * to engine and SDKs, such as `__provider`.
 */
function toStruct(properties: PropertyMap, mustHideInternals: boolean): Record<string, unknown> {
  const entries = [...properties].filter(([key]) => !mustHideInternals || !key.startsWith('__'))
  return encodeWire(new Map(entries), wireOptions)
}

/** Returns the response of a call, or undefined when the pack does not implement its method. */
async function ignoreUnimplemented<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (thrown) {
    if (grpcCodeOf(thrown) === status.UNIMPLEMENTED) return undefined
    throw thrown
  }
}

/** Rethrows an error with the pack's own message, without the prefix that gRPC adds. */
function rethrowPackMessage(thrown: unknown): never {
  if (!(thrown instanceof Error) || !('details' in thrown)) throw thrown
  const details = typeof thrown.details === 'string' ? thrown.details : messageOf(thrown)
  throw Object.assign(new Error(details, { cause: thrown }), { code: grpcCodeOf(thrown) })
}
