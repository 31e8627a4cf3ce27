import { error, messageOf } from '../errors/error.ts'
import { parseReference, referenceOf } from '../names/provider-reference.ts'
import { nameOf, type Urn } from '../names/urn.ts'
import type { ResourceState } from '../state/resource.ts'
import type { PropertyMap } from '../values/value.ts'
import { redactProviderErrors } from './redact-provider-errors.ts'
import { createExtender } from './extender.ts'
import type { Extension } from '../records/extension.ts'
import type { PluginHost, Provider } from './provider.ts'
import { packageOfUrn, pluginOf, withoutInternal } from './provider-inputs.ts'
import { type UnsentRetry, withUnsentRetry } from './retry-unsent.ts'

/** The provider instances of one deployment by reference, and one unconfigured instance per URN. */
export interface ProviderRegistry {
  /** Starts an instance for these inputs and keeps it unconfigured under the URN (Check). */
  readonly keepUnconfigured: (urn: Urn, inputs: PropertyMap) => Promise<Provider>
  readonly getUnconfigured: (urn: Urn) => Provider | undefined
  /** Ends the unconfigured instance of a URN. */
  readonly closeUnconfigured: (urn: Urn) => Promise<void>
  /**
   * Configures the unconfigured instance (or a new one) under the id and registers it. It does not
   * wait for the configuration: later calls fail with its error.
   */
  readonly configure: (urn: Urn, id: string, inputs: PropertyMap) => Promise<void>
  /**
   * Returns the instance of a reference. A missing instance is loaded and configured from the
   * recorded state, and extended by the named extension. Throws PROVIDER_REFERENCE.
   */
  readonly getInstance: (reference: string, extension?: string) => Promise<Provider>
  /** Registers an extension under its reference. */
  readonly registerExtension: (ref: string, extension: Extension) => void
  readonly isRegistered: (reference: string) => boolean
  /** Makes the instances of `former` available under `urn` too. */
  readonly alias: (former: Urn, urn: Urn) => void
  /** Removes and ends an instance whose resource was deleted. */
  readonly remove: (reference: string) => Promise<void>
}

/**
 * Dependencies of a registry: the host, the configuration of a package, and states of providers by
 * reference.
 */
export interface RegistryDeps {
  readonly host: PluginHost
  readonly configOf: (pkg: string) => Readonly<Record<string, string>>
  /**
   * Returns the recorded state of a provider resource, for instances that the program does not
   * register.
   */
  readonly stateOf: (urn: Urn, id: string) => ResourceState | undefined
  /** Returns an extension from the state or the log of the deployment. */
  readonly extensionOf: (ref: string) => Extension | undefined
  /** Called before an unsent call is retried, see `UnsentRetry`. */
  readonly beforeRetry: UnsentRetry['beforeRetry']
}

/**
 * Creates the registry of one deployment. Source: docs/spec/providers.md#provider-registry,
 * docs/spec/provider-protocol.md#provider-resources-and-the-registry.
 */
export function createProviderRegistry(deps: RegistryDeps): ProviderRegistry {
  const parked = new Map<Urn, Provider>()
  const registered = new Map<string, RegisteredInstance>()
  const former = new Map<Urn, Urn>()
  const { load, configureNew, ensure } = createLoader(deps, former)
  const { registerExtension, extend } = createExtender(deps.extensionOf)
  const getReachable = async (one: RegisteredInstance, extension: string): Promise<Provider> => {
    const getInstance = async (): Promise<Provider> => extend(await getLiveInstance(one), extension)
    return withUnsentRetry(await getInstance(), { getInstance, beforeRetry: deps.beforeRetry })
  }
  return {
    async keepUnconfigured(urn, inputs) {
      await closeUnconfiguredIn(parked, urn)
      const provider = await load(urn, inputs)
      parked.set(urn, provider)
      return provider
    },
    getUnconfigured: urn => parked.get(urn),
    closeUnconfigured: urn => closeUnconfiguredIn(parked, urn),
    async configure(urn, id, inputs) {
      const reference = referenceOf(urn, id)
      const before = registered.get(reference)
      const waiting = parked.get(urn)
      parked.delete(urn)
      // A restart uses a new process. The unconfigured instance of the URN may belong to a later
      // configuration.
      const restart = (): Promise<Provider> => configureNew(urn, id, inputs)
      const made = {
        provider: configureNew(urn, id, inputs, waiting),
        restart,
        restarts: 0,
      }
      registered.set(reference, made)
      await made.provider
      if (before !== undefined) await closeQuietly(before.provider)
    },
    registerExtension,
    getInstance(reference, extension = '') {
      const { urn, id } = parseReference(reference)
      const known =
        registered.get(reference) ?? registered.get(referenceOf(former.get(urn) ?? urn, id))
      if (known !== undefined) return getReachable(known, extension)
      const restart = (): Promise<Provider> => ensure(urn, id)
      const made = { provider: restart(), restart, restarts: 0 }
      registered.set(reference, made)
      return getReachable(made, extension)
    },
    isRegistered: reference => registered.has(reference),
    alias(old, urn) {
      former.set(urn, old)
      for (const [reference, provider] of [...registered]) {
        const { urn: at, id } = parseReference(reference)
        if (at === urn) registered.set(referenceOf(old, id), provider)
      }
    },
    async remove(reference) {
      const provider = registered.get(reference)
      registered.delete(reference)
      if (provider !== undefined) await closeQuietly(provider.provider)
    },
  }
}

/** A registered instance, and how it is restarted after the end of its process. */
interface RegisteredInstance {
  provider: Promise<Provider>
  readonly restart: () => Promise<Provider>
  restarts: number
}

/** Restarts per instance, so that one which crashes at every call is not restarted forever. */
const restartsMax = 3

/**
 * Returns the instance, restarted if its process has ended. A crash affects only the calls that
 * were running.
 */
async function getLiveInstance(registered: RegisteredInstance): Promise<Provider> {
  const { provider } = registered
  const found = await provider
  if (!found.isGone() || registered.restarts >= restartsMax) return found
  // The first caller that notices the end restarts it for all.
  if (registered.provider === provider) {
    registered.restarts += 1
    registered.provider = registered.restart()
    void closeQuietly(provider)
  }
  return registered.provider
}

/** Creates the loader of instances: for a check, for a registration, or from a recorded state. */
function createLoader(deps: RegistryDeps, former: ReadonlyMap<Urn, Urn>) {
  const load = async (urn: Urn, inputs: PropertyMap): Promise<Provider> => {
    const { parameterization, envVarMappings, ...plugin } = pluginOf(urn, inputs)
    const pkg = packageOfUrn(urn)
    const provider = await deps.host.load(plugin, {
      pkg,
      config: deps.configOf(pkg),
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
    waiting?: Provider,
  ): Promise<Provider> => {
    const provider = redactProviderErrors(waiting ?? (await load(urn, inputs)), inputs)
    const type = `pulumi:providers:${packageOfUrn(urn)}`
    const configured = provider.configure({
      urn,
      name: nameOf(urn),
      type,
      id,
      inputs: withoutInternal(inputs),
    })
    configured.catch(() => undefined)
    return provider
  }
  const loadRecorded = async (urn: Urn, id: string): Promise<Provider> => {
    const state = deps.stateOf(urn, id) ?? deps.stateOf(former.get(urn) ?? urn, id)
    if (state === undefined) throw error('PROVIDER_REFERENCE', `unknown provider '${urn}::${id}'`)
    const provider = redactProviderErrors(await load(urn, state.inputs), state.inputs)
    const subject = { urn, name: nameOf(urn), type: state.type, id }
    provider.configure({ ...subject, inputs: withoutInternal(state.inputs) }).catch(() => undefined)
    return provider
  }
  return { load, configureNew, ensure: loadRecorded }
}

async function closeUnconfiguredIn(parked: Map<Urn, Provider>, urn: Urn): Promise<void> {
  const provider = parked.get(urn)
  parked.delete(urn)
  await provider?.close()
}

async function closeQuietly(provider: Promise<Provider>): Promise<void> {
  await provider.then(
    instance => instance.close(),
    thrown => messageOf(thrown),
  )
}
