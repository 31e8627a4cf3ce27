import { createError } from '../errors/error.ts'
import { parseProviderReference, providerReferenceOf } from '../names/provider-reference.ts'
import { nameOf, type Urn } from '../names/urn.ts'
import type { ResourceState } from '../state/resource.ts'
import type { PropertyMap } from '../values/value.ts'
import { redactProviderErrors } from './redact-provider-errors.ts'
import { createExtender } from './extender.ts'
import type { PackageParameterization } from '../records/package-parameterization.ts'
import type { PluginHost, Provider } from './provider.ts'
import { packageOfUrn, readProviderPlugin, withoutEngineValues } from './provider-inputs.ts'
import { type UnsentRetry, withUnsentRetry } from './retry-unsent.ts'

/** The provider instances of one deployment by reference, and one unconfigured instance per URN. */
export interface ProviderRegistry {
  /**
   * Starts an instance for a check of these inputs, and keeps the unconfigured instance under the
   * URN. Ends an earlier unconfigured instance of the URN.
   */
  readonly keepUnconfigured: (urn: Urn, inputs: PropertyMap) => Promise<Provider>
  readonly getUnconfigured: (urn: Urn) => Provider | undefined
  /** Ends the unconfigured instance of a URN. */
  readonly closeUnconfigured: (urn: Urn) => Promise<void>
  /**
   * Registers the unconfigured instance of the URN, or a new instance, under the id, and starts its
   * configuration. Does not wait for the configuration. If the configuration fails, later calls
   * fail with the same error. Ends an earlier instance of the same reference, even if the load
   * fails.
   */
  readonly configure: (urn: Urn, id: string, inputs: PropertyMap) => Promise<void>
  /**
   * Returns the instance of a reference, extended by the extension `extensionRef`. A missing
   * instance is loaded and configured from the recorded state first. Throws PROVIDER_REFERENCE,
   * STATE_INVALID for an unknown extension, and the errors of `PluginHost.load`.
   */
  readonly getInstance: (reference: string, extensionRef?: string) => Promise<Provider>
  /** Registers an extension under its reference. */
  readonly registerExtension: (ref: string, extension: PackageParameterization) => void
  readonly isRegistered: (reference: string) => boolean
  /** Makes references to `formerUrn` and to `urn` find the same instances. */
  readonly alias: (formerUrn: Urn, urn: Urn) => void
  /** Removes and ends an instance whose resource was deleted. */
  readonly remove: (reference: string) => Promise<void>
}

/**
 * Dependencies of a registry. `configOf` returns the configuration of a package, with keys that
 * have no namespace.
 */
export interface RegistryDeps {
  readonly host: PluginHost
  readonly configOf: (pkg: string) => Readonly<Record<string, string>>
  /**
   * Returns the recorded state of a provider resource, for instances that this process has not
   * registered.
   */
  readonly stateOf: (urn: Urn, id: string) => ResourceState | undefined
  /** Returns an extension from the state or the log of the deployment. */
  readonly extensionOf: (ref: string) => PackageParameterization | undefined
  /** Called before an unsent call is retried, see `UnsentRetry`. */
  readonly beforeRetry: UnsentRetry['beforeRetry']
}

/**
 * Creates the registry of one deployment. Source: docs/spec/providers.md#provider-registry,
 * docs/spec/provider-protocol.md#provider-resources-and-the-registry.
 */
export function createProviderRegistry(deps: RegistryDeps): ProviderRegistry {
  const unconfiguredProviders = new Map<Urn, Provider>()
  const instances = new Map<string, RegisteredInstance>()
  const formerUrns = new Map<Urn, Urn>()
  const { load, configureNew, loadFromState } = createLoader(deps, formerUrns)
  const { registerExtension, extend } = createExtender(deps.extensionOf)
  const getRetryingProvider = async (
    instance: RegisteredInstance,
    extensionRef: string,
  ): Promise<Provider> => {
    const getInstance = async (): Promise<Provider> =>
      extend(await getLiveInstance(instance), extensionRef)
    return withUnsentRetry(await getInstance(), { getInstance, beforeRetry: deps.beforeRetry })
  }
  return {
    async keepUnconfigured(urn, inputs) {
      await closeUnconfiguredIn(unconfiguredProviders, urn)
      const provider = await load(urn, inputs)
      unconfiguredProviders.set(urn, provider)
      return provider
    },
    getUnconfigured: urn => unconfiguredProviders.get(urn),
    closeUnconfigured: urn => closeUnconfiguredIn(unconfiguredProviders, urn),
    async configure(urn, id, inputs) {
      const reference = providerReferenceOf(urn, id)
      const previousInstance = instances.get(reference)
      const unconfiguredProvider = unconfiguredProviders.get(urn)
      unconfiguredProviders.delete(urn)
      // A restart always loads a new process. By then, an unconfigured instance of the URN may
      // belong to a later configuration.
      const restart = (): Promise<Provider> => configureNew(urn, id, inputs)
      const instance = {
        provider: configureNew(urn, id, inputs, unconfiguredProvider),
        restart,
        restartCount: 0,
      }
      instances.set(reference, instance)
      try {
        await instance.provider
      } finally {
        await closeQuietly(previousInstance?.provider)
      }
    },
    registerExtension,
    getInstance(reference, extensionRef = '') {
      const { urn, id } = parseProviderReference(reference)
      const existingInstance =
        instances.get(reference) ??
        instances.get(providerReferenceOf(formerUrns.get(urn) ?? urn, id))
      if (existingInstance !== undefined) return getRetryingProvider(existingInstance, extensionRef)
      const restart = (): Promise<Provider> => loadFromState(urn, id)
      const instance = { provider: restart(), restart, restartCount: 0 }
      instances.set(reference, instance)
      return getRetryingProvider(instance, extensionRef)
    },
    isRegistered: reference => instances.has(reference),
    alias(formerUrn, urn) {
      formerUrns.set(urn, formerUrn)
      for (const [reference, instance] of [...instances]) {
        const { urn: registeredUrn, id } = parseProviderReference(reference)
        if (registeredUrn === urn) instances.set(providerReferenceOf(formerUrn, id), instance)
      }
    },
    async remove(reference) {
      const instance = instances.get(reference)
      instances.delete(reference)
      await closeQuietly(instance?.provider)
    },
  }
}

/** A registered instance. `restart` creates its replacement after the process has ended. */
interface RegisteredInstance {
  provider: Promise<Provider>
  readonly restart: () => Promise<Provider>
  restartCount: number
}

/**
 * Maximum number of restarts per instance, so that an instance that crashes at every call is
 * not restarted forever.
 */
const restartsMax = 3

/**
 * Returns the instance. Restarts an instance whose process has ended, at most `restartsMax` times.
 * So a crash affects only the calls that were running.
 */
async function getLiveInstance(instance: RegisteredInstance): Promise<Provider> {
  const { provider } = instance
  const currentProvider = await provider
  if (!currentProvider.hasEnded() || instance.restartCount >= restartsMax) return currentProvider
  // The first caller that notices the end restarts the instance for all callers.
  if (instance.provider === provider) {
    instance.restartCount += 1
    instance.provider = instance.restart()
    void closeQuietly(provider)
  }
  return instance.provider
}

/** Creates the loader of instances: for a check, for a registration, or from a recorded state. */
function createLoader(deps: RegistryDeps, formerUrns: ReadonlyMap<Urn, Urn>) {
  const load = async (urn: Urn, inputs: PropertyMap): Promise<Provider> => {
    const { parameterization, envVarMappings, ...plugin } = readProviderPlugin(urn, inputs)
    const pkg = packageOfUrn(urn)
    const provider = await deps.host.load(plugin, {
      pkg,
      packageConfig: deps.configOf(pkg),
      envVarMappings,
    })
    if (parameterization === undefined) return provider
    try {
      await provider.parameterize(parameterization)
      return provider
    } catch (thrown) {
      await provider.close()
      throw thrown
    }
  }
  const configureNew = async (
    urn: Urn,
    id: string,
    inputs: PropertyMap,
    unconfiguredProvider?: Provider,
  ): Promise<Provider> => {
    const provider = redactProviderErrors(unconfiguredProvider ?? (await load(urn, inputs)), inputs)
    const type = `pulumi:providers:${packageOfUrn(urn)}`
    const pendingConfiguration = provider.configure({
      urn,
      name: nameOf(urn),
      type,
      id,
      inputs: withoutEngineValues(inputs),
    })
    // Every later call reports this failure. Until then the rejection must not count as unhandled.
    pendingConfiguration.catch(() => undefined)
    return provider
  }
  const loadFromState = async (urn: Urn, id: string): Promise<Provider> => {
    const state = deps.stateOf(urn, id) ?? deps.stateOf(formerUrns.get(urn) ?? urn, id)
    if (state === undefined)
      throw createError('PROVIDER_REFERENCE', `unknown provider '${urn}::${id}'`)
    const provider = redactProviderErrors(await load(urn, state.inputs), state.inputs)
    const subject = { urn, name: nameOf(urn), type: state.type, id }
    provider
      .configure({ ...subject, inputs: withoutEngineValues(state.inputs) })
      .catch(() => undefined)
    return provider
  }
  return { load, configureNew, loadFromState }
}

async function closeUnconfiguredIn(
  unconfiguredProviders: Map<Urn, Provider>,
  urn: Urn,
): Promise<void> {
  const provider = unconfiguredProviders.get(urn)
  unconfiguredProviders.delete(urn)
  await provider?.close()
}

/** Ends an instance. An instance whose load failed has no process to end. */
async function closeQuietly(provider: Promise<Provider> | undefined): Promise<void> {
  await provider?.then(
    instance => instance.close(),
    () => undefined,
  )
}
