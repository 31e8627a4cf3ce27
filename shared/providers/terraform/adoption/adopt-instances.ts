import { DeployError, createError } from '../../../errors/error.ts'
import { childUrnOf, type Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { ProviderError } from '../../provider-error.ts'
import type { TerraformSession } from '../driver/terraform-session.ts'
import { createAdoptedState } from './create-adopted-state.ts'
import type { ProviderConfigAddress } from './state-addresses.ts'
import type { StateInstance } from './state-instances.ts'

/** A part of a Terraform state that is not adopted. */
export interface SkippedPart {
  readonly kind: 'resource' | 'data source' | 'output' | 'check'
  readonly address: string
  readonly reason: string
}

/** An instance of a Terraform state, and the resource state of its object. */
export interface AdoptedInstance {
  readonly instance: StateInstance
  readonly state: ResourceState
}

/** The providers of an adoption. */
export interface AdoptionProviders {
  /**
   * Returns the running provider to which a configuration belongs, without configuring it. Throws
   * ProviderError or DeployError if the provider cannot be installed or started.
   */
  readonly open: (address: ProviderConfigAddress) => Promise<TerraformSession>
  /** Returns the reference of the provider resource of a configuration. Call `open` first. */
  readonly getReference: (address: ProviderConfigAddress) => string
}

/** The stack that adopts objects. */
export interface AdoptingStack {
  readonly stack: string
  readonly project: string
  /** The URN of the root resource. */
  readonly root: Urn
}

/**
 * Creates the states of all managed objects, without a change of any object. An object whose
 * provider or type is missing, or that the provider cannot upgrade, is skipped with the reason.
 */
export async function adoptInstances(
  instances: readonly StateInstance[],
  options: {
    /** The name of each instance, by its address. */
    readonly names: ReadonlyMap<string, string>
    readonly stack: AdoptingStack
    readonly providers: AdoptionProviders
  },
): Promise<{
  readonly adopted: readonly AdoptedInstance[]
  readonly skipped: readonly SkippedPart[]
}> {
  const adopted: AdoptedInstance[] = []
  const skipped: SkippedPart[] = []
  for (const instance of instances) {
    if (instance.mode === 'data') continue
    try {
      adopted.push({ instance, state: await adoptInstance(instance, options) })
    } catch (thrown) {
      skipped.push({
        kind: 'resource',
        address: formatObjectAddress(instance),
        reason: reasonOf(thrown),
      })
    }
  }
  return { adopted: connectStates(adopted), skipped }
}

/** Formats the address of an object. A deposed object has the address of its instance and a key. */
export function formatObjectAddress({ address, deposedKey }: StateInstance): string {
  return deposedKey === undefined ? address : `${address} (deposed ${deposedKey})`
}

async function adoptInstance(
  instance: StateInstance,
  {
    names,
    stack,
    providers,
  }: {
    readonly names: ReadonlyMap<string, string>
    readonly stack: AdoptingStack
    readonly providers: AdoptionProviders
  },
): Promise<ResourceState> {
  const { provider, address, object } = instance
  const session = await providers.open(provider)
  const { pkg } = session
  const type = pkg.tokens.resources.toToken.get(object.typeName)
  if (type === undefined)
    throw createError(
      'TERRAFORM_TYPE_UNKNOWN',
      `provider ${provider.source} ${pkg.version} has no resource type '${object.typeName}'`,
    )
  const name = names.get(address) ?? instance.name
  return createAdoptedState(session, instance, {
    urn: childUrnOf(stack, undefined, { type, name }),
    type,
    parent: stack.root,
    provider: providers.getReference(provider),
  })
}

/**
 * Returns the message of a ProviderError or DeployError. Throws other errors and failed assertions
 * again.
 */
function reasonOf(thrown: unknown): string {
  const isFailure = thrown instanceof DeployError && thrown.code !== 'INTERNAL_ASSERTION'
  if (isFailure || thrown instanceof ProviderError) return thrown.message
  throw thrown
}

/**
 * Adds the dependencies. In Terraform, a dependency refers to all instances of a resource.
 * Dependencies on data sources and on skipped objects are left out.
 */
function connectStates(adopted: readonly AdoptedInstance[]): readonly AdoptedInstance[] {
  const urnsByAddress = new Map<string, Set<Urn>>()
  for (const { instance, state } of adopted) {
    if (state.delete) continue
    const urns = urnsByAddress.get(instance.configAddress) ?? new Set()
    urnsByAddress.set(instance.configAddress, urns.add(state.urn))
  }
  return adopted.map(({ instance, state }) => {
    const urns = instance.dependencies.flatMap(address => [...(urnsByAddress.get(address) ?? [])])
    const dependencies = [...new Set(urns)].filter(urn => urn !== state.urn)
    return { instance, state: { ...state, dependencies } }
  })
}
