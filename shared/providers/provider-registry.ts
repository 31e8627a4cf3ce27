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

/** The instances of one deployment, by provider reference, and one unconfigured per URN. */
export interface ProviderRegistry {
  /** Starts an instance for these inputs and keeps it, unconfigured, under the URN (Check). */
  readonly keepUnconfigured: (urn: Urn, inputs: PropertyMap) => Promise<Provider>
  readonly getUnconfigured: (urn: Urn) => Provider | undefined
  /** Ends the parked instance of a URN. */
  readonly closeUnconfigured: (urn: Urn) => Promise<void>
  /**
   * Configures the parked instance (or a new one) under the id and registers it. The configuration
   * itself is not awaited: its failure meets the calls that need it.
   */
  readonly configure: (urn: Urn, id: string, inputs: PropertyMap) => Promise<void>
  /**
   * The instance of a reference; loaded and configured from `states` when it is not there yet, and
   * extended where an extension is named. Throws PROVIDER_REFERENCE.
   */
  readonly getInstance: (reference: string, extension?: string) => Promise<Provider>
  /** Makes an extension known by its reference. */
  readonly registerExtension: (ref: string, extension: Extension) => void
  readonly isRegistered: (reference: string) => boolean
  /** Makes the instances of `former` reachable under `urn` too. */
  readonly alias: (former: Urn, urn: Urn) => void
  /** Forgets and ends an instance (its resource was deleted). */
  readonly remove: (reference: string) => Promise<void>
}

/**
 * What a registry needs: the host, the configuration of a package, and states of providers by
 * reference.
 */
export interface RegistryDeps {
  readonly host: PluginHost
  readonly configOf: (pkg: string) => Readonly<Record<string, string>>
  /**
   * The recorded state of a provider resource, for instances that the program does not register.
   */
  readonly stateOf: (urn: Urn, id: string) => ResourceState | undefined
  /** An extension that the state or the log of the deployment has. */
  readonly extensionOf: (ref: string) => Extension | undefined
  /** Before a call is made again that nobody heard; see `Reaching`. */
  readonly beforeRetry: UnsentRetry['beforeRetry']
}

/**
 * Makes the registry of one deployment. Source: docs/spec/providers.md#provider-registry,
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
      // One that waits for another configuration is not for who is made anew.
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

/** An instance that is registered, and how it is made anew when its process dies. */
interface RegisteredInstance {
  provider: Promise<Provider>
  readonly restart: () => Promise<Provider>
  restarts: number
}

/** How often an instance is made anew: one that dies of every call must not do so for ever. */
const restartsMax = 3

/** The instance, made anew when its process has died: a crash concerns only what ran in it. */
async function getLiveInstance(registered: RegisteredInstance): Promise<Provider> {
  const { provider } = registered
  const found = await provider
  if (!found.isGone() || registered.restarts >= restartsMax) return found
  // Whoever notices it first starts it for all.
  if (registered.provider === provider) {
    registered.restarts += 1
    registered.provider = registered.restart()
    void closeQuietly(provider)
  }
  return registered.provider
}

/** Starts instances: for a check, for a registration, from a recorded state. */
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
