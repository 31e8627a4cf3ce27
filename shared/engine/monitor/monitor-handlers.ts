import type { CallResponse } from '../../../proto/gen/pulumi/provider.ts'
import type {
  DeploymentInfo,
  ReadResourceRequest,
  ReadResourceResponse,
  RegisterPackageRequest,
  RegisterPackageResponse,
  RegisterResourceOutputsRequest,
  ResourceCallRequest,
  ResourceInvokeRequest,
  ResourceInvokeResponse,
  SupportsFeatureRequest,
  SupportsFeatureResponse,
} from '../../../proto/gen/pulumi/resource.ts'
import { ResourceMonitorFeature, Result } from '../../../proto/gen/pulumi/resource.ts'
import { packageOf } from '../../names/provider-reference.ts'
import { decodeWire } from '../../values/decode-wire.ts'
import { encodeWire } from '../../values/encode-wire.ts'
import type { Generator } from '../generator/generator.ts'
import { type Packages, requireVersion } from './packages.ts'
import type { RegisteredHooks } from './registered-hooks.ts'
import { toMethodReply, readMethodRequest } from './method-call.ts'
import { replyOptionsOf } from './reply-options.ts'
import { createStackTraces } from './stack-traces.ts'
import {
  readFrames,
  readPluginRequest,
  programWireOptions,
  decodeReadRequest,
  type ReadingDeps,
} from './decode-registration.ts'
import type { HiddenFeature } from '../../records/log.ts'
import { createRegistrationHandler } from './registration-handler.ts'
import type { RegistrationWindow } from './registration-window.ts'
import type { RequestTransformer } from './transform-requests.ts'
import { parseRequestUrn, parseOptionalUrn } from './request-urns.ts'

/** The dependencies of the monitor handlers. */
export interface MonitorDeps extends Omit<ReadingDeps, 'traces'> {
  readonly generator: Generator
  readonly packages: Packages
  readonly deploymentInfo: Omit<DeploymentInfo, 'supportedFeatures'>
  /** Features that the monitor does not report to the program. */
  readonly withoutFeatures: readonly HiddenFeature[]
}

/**
 * The parts of a monitor that exist before its dependencies. These are the signals at the end of a
 * program, its transforms and hooks, and the window of its registrations.
 */
export interface ProgramSignals {
  /** Called when the program signals that it registers nothing more. */
  readonly onSignal: () => void
  /** Resolves when the program may exit. */
  readonly whenReleased: Promise<void>
  readonly requestTransformer: RequestTransformer
  readonly hooks: RegisteredHooks
  /** The limit of registrations that are decided at the same time. */
  readonly window: RegistrationWindow
}

/** The features that `getDeploymentInfo` reports. */
const features: readonly ResourceMonitorFeature[] = [
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_SECRETS,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_OUTPUT_VALUES,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_REPLACEMENT_TRIGGER,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_DELETED_WITH,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_REPLACE_WITH,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_TRANSFORMS,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_INVOKE_TRANSFORMS,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_PARAMETERIZATION,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_RESOURCE_HOOKS,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_ERROR_HOOKS,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_SENDS_OPTIONS_TO_HOOKS,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_BYTE_STRING,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_INVOKE_DEPENDS_ON,
  ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_INVOKE_PARENT,
]

/** The features that the option `withoutFeatures` can hide. */
const hideableFeatures: Readonly<Record<HiddenFeature, ResourceMonitorFeature>> = {
  resourceReferences: ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
  outputValues: ResourceMonitorFeature.RESOURCE_MONITOR_FEATURE_OUTPUT_VALUES,
}

/** The names of the features that older SDKs query one by one. */
const featureNames: ReadonlySet<string> = new Set([
  'secrets',
  'resourceReferences',
  'outputValues',
  'aliasSpecs',
  'replacementTrigger',
  'deletedWith',
  'replaceWith',
  'transforms',
  'invokeTransforms',
  'parameterization',
  'resourceHooks',
  'errorHooks',
  'sendsOptionsToHooks',
])

/**
 * Creates the handlers of the resource monitor. Handlers that need `MonitorDeps` wait for them.
 * Source: docs/spec/monitor.md#resourcemonitor.
 */
export function createMonitorHandlers(whenReady: Promise<MonitorDeps>, signals: ProgramSignals) {
  const traces = createStackTraces()
  const readyDeps = whenReady.then(deps => ({ ...deps, traces }))
  const { requestTransformer, hooks } = signals
  return {
    async getDeploymentInfo(): Promise<DeploymentInfo> {
      const { deploymentInfo, withoutFeatures } = await readyDeps
      const hiddenFeatures = new Set(withoutFeatures.map(name => hideableFeatures[name]))
      return {
        ...deploymentInfo,
        supportedFeatures: features.filter(feature => !hiddenFeatures.has(feature)),
      }
    },
    async supportsFeature({ id }: SupportsFeatureRequest): Promise<SupportsFeatureResponse> {
      const { withoutFeatures } = await readyDeps
      return { hasSupport: featureNames.has(id) && !withoutFeatures.some(name => name === id) }
    },
    registerResource: createRegistrationHandler(readyDeps, signals),
    async registerResourceOutputs(request: RegisterResourceOutputsRequest): Promise<object> {
      const deps = await readyDeps
      const outputs = await deps.hashAssets(
        decodeWire(request.outputs, { ...programWireOptions, outputs: false }),
      )
      await deps.generator.registerOutputs(parseRequestUrn(request.urn, 'resource'), outputs)
      return {}
    },
    async readResource(request: ReadResourceRequest): Promise<ReadResourceResponse> {
      const deps = await readyDeps
      const { state } = await deps.generator.read(decodeReadRequest(request, deps))
      return {
        urn: state.urn,
        properties: encodeWire(state.outputs, replyOptionsOf(request)),
        result: Result.SUCCESS,
        unknown: false,
      }
    },
    invoke: async (request: ResourceInvokeRequest): Promise<ResourceInvokeResponse> =>
      invoke(await readyDeps, await requestTransformer.transformInvoke(await readyDeps, request)),
    async call(request: ResourceCallRequest): Promise<CallResponse> {
      const deps = await readyDeps
      return traces.runWithFrames(readFrames(request, deps), async stackTraceHandle => {
        const methodRequest = await readMethodRequest(request, stackTraceHandle, deps)
        return toMethodReply(await deps.generator.call(methodRequest), request)
      })
    },
    async registerPackage(request: RegisterPackageRequest): Promise<RegisterPackageResponse> {
      return { ref: (await readyDeps).packages.register(request) }
    },
    ...requestTransformer.handlers,
    ...hooks.handlers,
    signalAndWaitForShutdown: createShutdownSignal(signals),
  }
}

/**
 * Creates the handler for the signal that the program registers nothing more. The handler responds
 * when the program may exit, and refuses a second signal.
 */
function createShutdownSignal(signals: ProgramSignals): () => Promise<object> {
  let isSignalled = false
  return async () => {
    if (isSignalled) throw new Error('Already waiting for shutdown')
    isSignalled = true
    signals.onSignal()
    await signals.whenReleased
    return {}
  }
}

/** Calls a function of a provider. */
async function invoke(
  deps: MonitorDeps,
  request: ResourceInvokeRequest,
): Promise<ResourceInvokeResponse> {
  requireVersion('package', request.version)
  const result = await deps.generator.invoke({
    token: request.tok,
    args: decodeWire(request.args, { ...programWireOptions, outputs: false }),
    provider: request.provider,
    parent: parseOptionalUrn(request.parent),
    dependsOn: request.dependsOn.map(urn => parseRequestUrn(urn, 'dependsOn')),
    plugin: readPluginRequest(packageOf(request.tok), request, deps),
  })
  if (result === 'unknown') return { return: undefined, failures: [], unknown: true }
  const isGetResource = request.tok === 'pulumi:pulumi:getResource'
  const options = {
    ...replyOptionsOf({ ...request, acceptSecrets: true }),
    references: request.acceptResources || isGetResource,
  }
  return {
    return: encodeWire(result.outputs, options),
    failures: [...result.failures],
    unknown: false,
  }
}
